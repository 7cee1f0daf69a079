/** Returns the problem that a call throws. Fails if the call succeeds. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && 'problem' in error) return error.problem;
  throw new Error(`expected a problem, but got: ${String(error)}`);
}
