/** Milliseconds between lines about parts that are still starting. */
const interval = 10_000;

/** Shows when each part is ready, and every ten seconds which parts are still starting. */
export class StartProgress {
  readonly #show: (line: string) => void;
  /** Start times of the parts that are not ready yet, in milliseconds since the epoch. */
  readonly #pending = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(show: (line: string) => void) {
    this.#show = show;
    this.#timer = setInterval(() => this.#report(), interval);
  }

  /** Returns the started part, and shows how long it took. */
  async track<Part>(name: string, starting: Promise<Part>): Promise<Part> {
    const begun = Date.now();
    this.#pending.set(name, begun);
    try {
      const part = await starting;
      if (part !== null) this.#show(`  ${name}: ready after ${secondsSince(begun)} s`);
      return part;
    } finally {
      this.#pending.delete(name);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #report(): void {
    const lines = [...this.#pending].map(([name, begun]) => `${name} (${secondsSince(begun)} s)`);
    if (lines.length > 0) this.#show(`  Still starting: ${lines.join(', ')}`);
  }
}

function secondsSince(begun: number): string {
  return ((Date.now() - begun) / 1_000).toFixed(1);
}
