/**
 * Waits for work, for at most `milliseconds`, and returns whether it completed. If not, the work continues.
 * @throws the error of the work if it fails within that time
 */
export async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, milliseconds, false);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
