/** What a moving picture may cost: pixels to one of the page. All of the robot is in every picture. */
const k_ratios = [1, 0.75, 0.5];
/** Longer than this, pictures come at fewer than about 30 a second. */
const k_slow_milliseconds = 29;
const k_sample = 10;

/**
 * Where a program draws: lowers the effort of moving pictures until they come quickly enough. It watches how often the
 * browser asks for pictures, not how often there is a new one: a simulation may be slow, too.
 */
export class Pacer {
  private level = 0;
  private intervals: number[] = [];
  private last = 0;
  private until = 0;
  private request = 0;

  get ratio(): number {
    return k_ratios[this.level];
  }

  /** Something else is shown. */
  reset(): void {
    this.level = 0;
    this.intervals = [];
  }

  /** A moving picture was drawn. */
  moved(): void {
    this.until = performance.now() + 150;
    if (this.request !== 0) return;
    this.last = 0;
    this.request = requestAnimationFrame(this.watch);
  }

  stop(): void {
    cancelAnimationFrame(this.request);
    this.request = 0;
  }

  private readonly watch = (now: number): void => {
    if (this.last > 0) this.intervals.push(now - this.last);
    this.last = now;
    if (this.intervals.length === k_sample) {
      // not the mean: now and then the browser has other work for a moment
      const middle = this.intervals.sort((first, second) => first - second)[k_sample / 2];
      this.intervals = [];
      if (middle > k_slow_milliseconds && this.level + 1 < k_ratios.length) this.level++;
    }
    this.request = performance.now() < this.until ? requestAnimationFrame(this.watch) : 0;
  };
}
