/** How long a place stays one that the camera keeps in sight: longer than most robots take to swing once. */
const k_memory_milliseconds = 6000;
/** Between places that are remembered. */
const k_step_milliseconds = 200;

/** Where a live robot was in the last seconds: balls x, y, z, radius that hold it. */
export class Recent {
  private places: { at: number; balls: number[] }[] = [];
  private now: number[] = [];

  add(balls: number[], now: number): void {
    this.now = balls;
    const last = this.places[this.places.length - 1];
    if (last && now - last.at < k_step_milliseconds) return;
    this.places = this.places.filter(({ at }) => now - at < k_memory_milliseconds);
    this.places.push({ at: now, balls });
  }

  get balls(): number[] {
    return [...this.places.flatMap(({ balls }) => balls), ...this.now];
  }

  clear(): void {
    this.places = [];
    this.now = [];
  }
}
