/** The problem that a call is refused with. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && 'problem' in error) return error.problem;
  throw new Error(`not refused with a problem: ${String(error)}`);
}
