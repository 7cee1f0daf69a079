/** A violated rule. */
export interface Discrepancy {
  /** A sentence that should be true. */
  readonly rule: string;
  /** Id of an action or a list, or the address of an account. */
  readonly subject: string;
  readonly detail: string;
}
