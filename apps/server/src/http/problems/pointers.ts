import { Problem, type ProblemIssue } from '@ledger-ops/base';

/**
 * Where the parts of one document stand in another. The first prefix that fits a pointer counts; what follows it is
 * kept. `whole`: the part as a whole has one place only. `named`: it has none of its own, so that the detail names it.
 */
export type PointerMap = readonly (readonly [from: string, to: string, inside?: 'whole' | 'named'])[];

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
  if (problem.errors.length === 0 || pointers.length === 0) return problem;
  const errors = problem.errors.map((issue) => remap(issue, pointers));
  const detail = errors.map(({ pointer, detail: what }) => (pointer === '' ? what : `${pointer}: ${what}`));
  return new Problem(problem.problem, detail.join('; '), {
    errors,
    extensions: problem.extensions,
    cause: problem.cause,
    ...(problem.retryAfter === undefined ? {} : { retryAfter: problem.retryAfter }),
  });
}

function remap({ pointer, detail }: ProblemIssue, pointers: PointerMap): ProblemIssue {
  for (const [from, to, inside] of pointers) {
    if (pointer !== from && !pointer.startsWith(`${from}/`)) continue;
    const rest = pointer.slice(from.length);
    if (inside === 'whole') return { pointer: to, detail };
    if (inside !== 'named') return { pointer: to + rest, detail };
    const name = rest.replace(/^\/(?:options\/)?/, '').replaceAll('/', '.');
    return { pointer: to, detail: name === '' || name === 'options' ? detail : `${name} ${detail}` };
  }
  return { pointer, detail };
}
