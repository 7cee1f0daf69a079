import { Problem, type ProblemIssue } from '@ledger-ops/base';

/**
 * Maps pointers from one document to another. The first matching prefix is replaced and the rest is kept.
 * With `whole`, every pointer below the prefix becomes `to`. With `named`, the detail also begins with the
 * name of the member.
 */
export type PointerMap = readonly (readonly [from: string, to: string, inside?: 'whole' | 'named'])[];

/** Runs `work` and maps the pointers of its problem to the request. */
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

/** Returns the problem with mapped pointers. */
export function remapProblem(problem: Problem, pointers: PointerMap): Problem {
  if (problem.errors.length === 0 || pointers.length === 0) return problem;
  const errors = problem.errors.map((issue) => remap(issue, pointers));
  const words = inWords(problem.errors);
  // Problems other than `invalid-request` keep their detail, unless it begins with the issues.
  const repeats = problem.message.startsWith(words);
  const detail = repeats
    ? inWords(errors) + problem.message.slice(words.length)
    : problem.problem === 'invalid-request'
      ? inWords(errors)
      : problem.message;
  return new Problem(problem.problem, detail, {
    errors,
    extensions: problem.extensions,
    cause: problem.cause,
    ...(problem.retryAfter === undefined ? {} : { retryAfter: problem.retryAfter }),
  });
}

function inWords(issues: readonly ProblemIssue[]): string {
  return issues.map(({ pointer, detail }) => (pointer === '' ? detail : `${pointer}: ${detail}`)).join('; ');
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
