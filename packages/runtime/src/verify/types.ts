/** Something that is not as it must be. */
export interface Discrepancy {
  /** As a sentence that should be true. */
  readonly rule: string;
  /** Id of an action or a list, or the address of an account. */
  readonly subject: string;
  readonly detail: string;
}
