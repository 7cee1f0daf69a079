/** Waiting times of the conformance kit in milliseconds. A harness may set a longer `patience`. */
export const conformanceTiming = {
  /** Maximum time until a transaction is final or a request is answered. */
  patience: 15_000,
  /** Interval between status requests. */
  poll: 25,
};
