/** Why a JSON text was refused. */
export type JsonErrorReason =
  | 'syntax'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'too-deep'
  | 'too-many'
  | 'too-long'
  | 'imprecise-number';

/** A JSON text that cannot be accepted. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly reason: JsonErrorReason;
  /** JSON Pointer (RFC 6901) to the value, or to the nearest one around the fault. */
  readonly pointer: string;
  /** The mistake and its place, in one sentence without the text's values. */
  readonly detail: string;

  constructor(reason: JsonErrorReason, pointer: string, detail: string) {
    super(`${pointer === '' ? 'JSON text' : pointer} ${detail}`);
    this.reason = reason;
    this.pointer = pointer;
    this.detail = detail;
  }
}
