/** How long the kit waits, in milliseconds. A harness may have more patience, or less. */
export const timing = {
  /** For one step of a check. */
  patience: 15_000,
  /** Between two questions to the session. */
  poll: 50,
  /** For a head to come before another block is made: a session that began late hears of the next one. */
  head: 2_000,
};
