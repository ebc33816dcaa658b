/** Speeds that can be chosen: simulated seconds a second. */
export const speeds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10] as const;

/** The present time of a run, and whether it runs on. */
export class Playback {
  playing = false;
  loop = true;
  speed = 1;
  time: number;
  private last = 0;
  private request = 0;
  private part: [number, number] | null = null;

  /**
   * @param times   of the frames, ascending: what single steps go by.
   * @param changed called after every change of the time or of how it runs.
   * @param rate    units of time a second at speed 1.
   */
  constructor(
    private readonly times: ArrayLike<number>,
    private readonly changed: () => void,
    private readonly rate = 1,
  ) {
    this.time = this.start;
  }

  get start(): number {
    return this.part ? this.part[0] : this.times[0];
  }

  get end(): number {
    return this.part ? this.part[1] : this.times[this.times.length - 1];
  }

  /** Plays only a part of the times, from its beginning on. */
  setPart(start: number, end: number): void {
    this.part = [start, end];
    this.setTime(start);
  }

  setTime(time: number): void {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  play(): void {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    this.request = requestAnimationFrame(this.advance);
    this.changed();
  }

  pause(): void {
    this.stop();
    this.changed();
  }

  private stop(): void {
    this.playing = false;
    // else playing on at once would run twice
    cancelAnimationFrame(this.request);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setLoop(on: boolean): void {
    this.loop = on;
    this.changed();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** The next slower or faster speed. */
  changeSpeed(direction: -1 | 1): void {
    const at = speeds.findIndex((speed) => speed === this.speed) + direction;
    if (at >= 0 && at < speeds.length) this.setSpeed(speeds[at]);
  }

  /** Some frames before or after the present time, and stops. */
  step(direction: -1 | 1, frames = 1): void {
    this.stop();
    // from between two frames a step goes to the near one; a slider's rounding is no step
    const slack = 1e-6 * (this.end - this.start);
    const last = this.times.length - 1;
    let near = direction > 0 ? 0 : last;
    if (direction > 0) while (near < last && this.times[near] <= this.time + slack) near++;
    else while (near > 0 && this.times[near] >= this.time - slack) near--;
    this.setTime(this.times[Math.min(last, Math.max(0, near + direction * (frames - 1)))]);
  }

  private readonly advance = (now: number): void => {
    if (!this.playing) return;
    // after a pause of the browser itself the run goes on where it was
    const elapsed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    const next = this.time + elapsed * this.speed * this.rate;
    if (next < this.end) this.time = next;
    else if (this.loop) this.time = this.start + ((next - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.playing = false;
    }
    this.changed();
    if (this.playing) this.request = requestAnimationFrame(this.advance);
  };
}
