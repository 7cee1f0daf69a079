/** A violation of a rule by one record. */
export interface Discrepancy {
  /** The rule, as a sentence. */
  readonly rule: string;
  /** Id of an action or a listing, or the address of an account. */
  readonly subject: string;
  readonly detail: string;
}
