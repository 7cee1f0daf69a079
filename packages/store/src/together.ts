/**
 * Waits for all of the given database work, which was started together. If some of it failed, throws the first failure
 * in the order of the arguments. In a transaction, PostgreSQL receives the statements in one write, and responds to
 * them in one round trip.
 */
export async function together<const Work extends readonly unknown[]>(...work: Work) {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
