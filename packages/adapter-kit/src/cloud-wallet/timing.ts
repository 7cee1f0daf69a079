/** How long the conformance kit waits, in milliseconds. A harness may have more patience. */
export const conformanceTiming = {
  /** Within which a transaction is final, and a request answered. */
  patience: 15_000,
  /** Between two questions for a status. */
  poll: 25,
};
