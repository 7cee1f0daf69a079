/** Thrown if the service could not decode a result, because the contract's interface does not declare it. */
export class UndecodedResultError extends Error {
  override readonly name = 'UndecodedResultError';
  /** The data that the contract returned; `0x` hex on Ethereum. */
  readonly returned: string;

  constructor(returned: string, warnings: readonly string[]) {
    super(warnings.join(' '));
    this.returned = returned;
  }
}
