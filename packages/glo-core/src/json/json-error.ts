/** Why a JSON text was refused. */
export type JsonErrorReason =
  | 'syntax'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'too-deep'
  | 'too-many'
  | 'too-long'
  | 'imprecise-number';

/** An invalid JSON text. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: JsonErrorReason;
  /** JSON Pointer (RFC 6901) to the value, or to the nearest container of the fault. */
  readonly pointer: string;
  /** The fault and its position, in one sentence that does not quote the text. */
  readonly detail: string;

  constructor(reason: JsonErrorReason, pointer: string, detail: string) {
    super(`${pointer === '' ? 'JSON text' : pointer} ${detail}`);
    this.reason = reason;
    this.pointer = pointer;
    this.detail = detail;
  }
}
