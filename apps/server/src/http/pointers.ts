import { Problem } from '@ledger-ops/base';

/**
 * Where the parts of one document stand in another. The first prefix that fits a pointer counts; what follows it is
 * kept, unless the part as a whole has one place only.
 */
export type PointerMap = readonly (readonly [from: string, to: string, inside?: 'whole'])[];

/** Runs `work` and points the issues of its problem into the request, instead of into what was made from it. */
export async function withPointers<Result>(
  pointers: PointerMap,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Problem ? remapProblem(error, pointers) : error;
  }
}

/** The same problem with its issues pointing elsewhere. */
export function remapProblem(problem: Problem, pointers: PointerMap): Problem {
  if (problem.errors.length === 0) return problem;
  const errors = problem.errors.map(({ pointer, detail }) => ({ pointer: remap(pointer, pointers), detail }));
  return new Problem(problem.problem, errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; '), {
    errors,
    extensions: problem.extensions,
    cause: problem.cause,
    ...(problem.retryAfter === undefined ? {} : { retryAfter: problem.retryAfter }),
  });
}

function remap(pointer: string, pointers: PointerMap): string {
  for (const [from, to, inside] of pointers) {
    if (pointer !== from && !pointer.startsWith(`${from}/`)) continue;
    return inside === 'whole' ? to : to + pointer.slice(from.length);
  }
  return pointer;
}
