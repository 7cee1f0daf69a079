import type { AdapterProblem, Phase } from '../contract/problem.ts';
import { AdapterError, isAdapterError } from '../error.ts';

/** Runs it; an AdapterError that it throws gets the phase, where it names none. */
export async function atPhase<Result>(
  phase: Phase,
  run: () => Result | Promise<Result>,
  translate: (error: unknown) => unknown = (error) => error,
): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = translate(thrown);
    if (!isAdapterError(error) || error.problem.phase !== undefined) throw error;
    throw new AdapterError({ ...error.problem, phase }, { cause: error.cause });
  }
}

/** An answer whose problem, where there is one, has a phase. */
export function withPhase<Answer extends object>(answer: Answer, phase: Phase): Answer {
  if (!('problem' in answer) || typeof answer.problem !== 'object' || answer.problem === null) return answer;
  // The contract has no other member of this name.
  const problem = answer.problem as AdapterProblem;
  return problem.phase === undefined ? { ...answer, problem: { ...problem, phase } } : answer;
}
