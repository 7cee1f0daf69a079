/** Waiting times of the kit in milliseconds. A harness may set another `patience`. */
export const timing = {
  /** Timeout of one step of a check. */
  patience: 15_000,
  /** Interval between requests to the session. */
  poll: 50,
  /**
   * Time to wait for a new head before mining another block, because a session that started late misses the
   * first head.
   */
  head: 2_000,
};
