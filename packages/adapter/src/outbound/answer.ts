import type { AnswerLease } from './budget.ts';
import { ExchangeError } from './exchange-error.ts';

/** Limits beyond which `readAnswer` aborts an answer. */
export interface AnswerLimits {
  readonly bytes: number;
  /** Maximum number of JSON values. Values need more memory and time than their bytes. */
  readonly values: number;
}

/** Limits for the answers of a ledger's node. They allow several times the largest blocks. */
export const nodeAnswers: AnswerLimits = { bytes: 32 * 2 ** 20, values: 500_000 };

const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];
/**
 * Chunks with fewer bytes than this are copied into one buffer, because each separate chunk needs additional
 * memory.
 */
const smallChunk = 4_096;
const slabSize = 65_536;
/**
 * Number of chunks that an answer may have regardless of their size. In answers with more chunks, the average
 * chunk must have at least this many bytes.
 */
const [freeChunks, leastChunk] = [4_096, 16];

/**
 * Reads an answer and aborts when it exceeds a limit. Users enter addresses, so the server may be hostile,
 * and JSON is parsed in one step. So values are counted before parsing, by counting commas, brackets and
 * braces, even inside strings. Memory beyond the first bytes is reserved in the budget before more is read.
 *
 * @throws ExchangeError `too-long`, `busy`
 */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: AnswerLimits,
  lease: AnswerLease,
): Promise<Buffer> {
  const chunks = new Chunks();
  let values = 0;
  for await (const chunk of body) {
    const size = chunks.add(chunk);
    if (size > limits.bytes) throw tooLong(`more than ${limits.bytes} bytes`);
    if (chunks.count > freeChunks + size / leastChunk) throw tooLong('chunks of only a few bytes');
    values += valuesIn(chunk);
    if (values > limits.values) throw tooLong(`more than ${limits.values} values`);
    const growing = lease.grow(size);
    if (growing !== undefined) await growing;
  }
  return chunks.join();
}

function tooLong(detail: string): ExchangeError {
  return new ExchangeError('too-long', `answered with ${detail}`);
}

function valuesIn(chunk: Uint8Array): number {
  let values = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at];
    if (byte === comma || byte === bracket || byte === brace) values += 1;
  }
  return values;
}

/** Chunks of an answer in order. Short chunks share a buffer. */
class Chunks {
  count = 0;
  #size = 0;
  readonly #whole: Uint8Array[] = [];
  #slab = Buffer.alloc(0);
  #filled = 0;

  /** Returns the total size. */
  add(chunk: Uint8Array): number {
    this.count += 1;
    this.#size += chunk.length;
    // Many answers have only one chunk, so the first chunk is not copied.
    if (chunk.length >= smallChunk || this.count === 1) {
      this.#endSlab();
      this.#whole.push(chunk);
      return this.#size;
    }
    if (this.#filled + chunk.length > this.#slab.length) {
      this.#endSlab();
      this.#slab = Buffer.allocUnsafeSlow(slabSize);
    }
    this.#slab.set(chunk, this.#filled);
    this.#filled += chunk.length;
    return this.#size;
  }

  join(): Buffer {
    this.#endSlab();
    const [first] = this.#whole;
    if (first !== undefined && this.#whole.length === 1) {
      return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
    }
    return Buffer.concat(this.#whole);
  }

  /** The filled part of the slab becomes a chunk. The rest is used for later chunks. */
  #endSlab(): void {
    if (this.#filled === 0) return;
    this.#whole.push(this.#slab.subarray(0, this.#filled));
    this.#slab = this.#slab.subarray(this.#filled);
    this.#filled = 0;
  }
}
