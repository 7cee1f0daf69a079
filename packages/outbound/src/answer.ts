/** How much an answer in JSON may hold. */
export interface AnswerLimits {
  readonly bytes: number;
  /** Its parts cost the reader more than its bytes: a few of these make an object. */
  readonly values: number;
}

/** Of a ledger's node: several times the largest blocks. */
export const nodeAnswers: AnswerLimits = { bytes: 64 * 2 ** 20, values: 500_000 };

/** An answer holds more than it may. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

const [comma, bracket, brace] = [0x2c, 0x5b, 0x7b];

/**
 * Reads the text of an answer in JSON. Users write addresses, so that anybody may answer, and JSON is parsed in one go: it
 * is given up where it may have more values than the limit, before it is parsed. Each but the first begins after a comma, a
 * bracket or a brace; those within texts are counted too.
 *
 * @throws AnswerError
 */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: AnswerLimits,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let values = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.bytes) throw new AnswerError(`answered with more than ${limits.bytes} bytes`);
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (byte === comma || byte === bracket || byte === brace) values += 1;
    }
    if (values > limits.values) throw new AnswerError(`answered with more than ${limits.values} values`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
