/** A violated rule. */
export interface Discrepancy {
  /** A rule that should hold, as a sentence. */
  readonly rule: string;
  /** Id of an action or a list, or the address of an account. */
  readonly subject: string;
  readonly detail: string;
}
