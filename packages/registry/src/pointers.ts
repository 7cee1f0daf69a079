import { Problem } from '@ledger-ops/base';

/**
 * Runs the work and replaces pointers in its problems. A pair `[from, to]` applies to `from` and to
 * all pointers below it.
 */
export async function withPointers<Answer>(
  renamed: readonly (readonly [string, string])[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.errors.length === 0) throw error;
    const errors = error.errors.map(({ pointer, detail }) => ({ pointer: rename(pointer, renamed), detail }));
    if (errors.every(({ pointer }, index) => pointer === error.errors[index]?.pointer)) throw error;
    const detail =
      error.problem === 'invalid-request'
        ? errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ')
        : error.message;
    throw new Problem(error.problem, detail, {
      errors,
      extensions: error.extensions,
      ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
      cause: error,
    });
  }
}

function rename(pointer: string, renamed: readonly (readonly [string, string])[]): string {
  for (const [from, to] of renamed) {
    if (pointer === from) return to;
    if (pointer.startsWith(`${from}/`)) return to + pointer.slice(from.length);
  }
  return pointer;
}
