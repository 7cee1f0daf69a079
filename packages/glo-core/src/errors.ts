/** One fault of a GLO. */
export interface GloIssue {
  /** JSON Pointer (RFC 6901) to the value, prefixed by the caller's own pointer, such as `/glo/options/amount`. */
  pointer: string;
  /** The fault and its remedy, in one sentence without secrets. */
  detail: string;
}

/**
 * Why a GLO was refused: `unsupported-version` or `wrong-ledger` if every issue is of that kind, otherwise
 * `invalid-glo`.
 */
export type GloErrorCode = 'invalid-glo' | 'unsupported-version' | 'wrong-ledger';

/** An invalid GLO or part of one. Carries all issues at once. */
export class GloError extends Error {
  override readonly name = 'GloError';
  readonly code: GloErrorCode;
  readonly issues: readonly GloIssue[];

  constructor(code: GloErrorCode, issues: readonly GloIssue[]) {
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    super(
      first === undefined ? code : `${first.pointer === '' ? 'value' : first.pointer} ${first.detail}${more}`,
    );
    this.code = code;
    this.issues = issues;
  }
}
