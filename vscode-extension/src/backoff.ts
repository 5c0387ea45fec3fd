// When a server that ended is started again. Nothing here knows of VS Code.
export interface BackoffOptions {
  delays: readonly number[]; // ms before the first, second, ... start again; more crashes than delays: given up
  window: number; // ms after which a crash is forgotten
}

export const defaultBackoff: BackoffOptions = { delays: [0, 1000, 3000, 10_000, 30_000], window: 300_000 };

export class Backoff {
  private crashes: number[] = [];

  constructor(
    private readonly options = defaultBackoff,
    private readonly now: () => number = Date.now,
  ) {}

  /// A crash happened. The delay in ms before the next start, or undefined: give up.
  crashed(): number | undefined {
    const now = this.now();
    this.crashes = [...this.crashes.filter((time) => now - time < this.options.window), now];
    return this.options.delays[this.crashes.length - 1];
  }

  get count(): number {
    return this.crashes.length;
  }

  /// The user wants it started: what was is forgotten.
  reset(): void {
    this.crashes = [];
  }
}
