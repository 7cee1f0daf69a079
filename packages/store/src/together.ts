/**
 * Waits for database work that was started together, and throws its first failure, in the given order. Within a
 * transaction, PostgreSQL receives the statements in one write and answers them in one round trip.
 */
export async function together<const Work extends readonly unknown[]>(...work: Work) {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
