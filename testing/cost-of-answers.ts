import { collectGarbage, measureTurns, type TurnLimit } from './longest-block.ts';

const mebibyte = 2 ** 20;
/** Maximum memory in bytes that may still be held after all answers, for example compiled code and bounded caches. */
const heldLimit = 32 * mebibyte;
/** Maximum temporary memory in bytes while an answer is read, including garbage. */
const peakLimit = 768 * mebibyte;
/** Interval of memory samples in milliseconds. */
const sampleIntervalMs = 5;

/**
 * Measures the cost of reading answers in this process: the longest turn of the event loop, and the memory that
 * stays held.
 */
export class CostOfAnswers {
  readonly #held: number;
  #peak = 0;
  readonly #excesses: string[] = [];
  readonly #lines: string[] = [];

  private constructor(held: number) {
    this.#held = held;
  }

  static async start(): Promise<CostOfAnswers> {
    return new CostOfAnswers(await heldBytes());
  }

  /** Runs the work, and repeats it if a turn took too long. Returns the result, or the error if the work fails. */
  async measure(name: string, work: () => Promise<unknown>, turnLimit?: TurnLimit): Promise<unknown> {
    const sampler = setInterval(() => this.#sample(), sampleIntervalMs);
    const { result, longest, excess } = await measureTurns(
      () => work().catch((error: unknown) => error),
      turnLimit,
    );
    clearInterval(sampler);
    this.#sample();
    this.#lines.push(`${longest.toFixed(1).padStart(8)} ms ${name}`);
    if (excess !== undefined) this.#excesses.push(`${name}: ${excess}`);
    return result;
  }

  /** Prints the costs. Returns one line for each exceeded limit. */
  async excesses(): Promise<string[]> {
    const held = (await heldBytes()) - this.#held;
    const peak = this.#peak - this.#held;
    const mib = (bytes: number) => `${(bytes / mebibyte).toFixed(1)} MiB`;
    process.stdout.write(`${this.#lines.join('\n')}\n       ${mib(held)} held, peak ${mib(peak)}\n`);
    return [
      ...this.#excesses,
      ...(held > heldLimit ? [`${mib(held)} are held; the limit is ${mib(heldLimit)}`] : []),
      ...(peak > peakLimit ? [`the peak is ${mib(peak)}; the limit is ${mib(peakLimit)}`] : []),
    ];
  }

  #sample(): void {
    const { heapUsed, external } = process.memoryUsage();
    this.#peak = Math.max(this.#peak, heapUsed + external);
  }
}

/** Bytes of this thread's heap and of its buffers, after a garbage collection. */
async function heldBytes(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    // Finalizers run in separate turns.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
