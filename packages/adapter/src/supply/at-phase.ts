import type { AdapterProblem, Phase } from '../contract/problem.ts';
import { AdapterError, isAdapterError } from '../error.ts';

/** Adds the phase to an AdapterError that `run` throws without one. */
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

/** Adds the phase to the answer's problem, if there is a problem without a phase. */
export function withPhase<Answer>(answer: Answer, phase: Phase): Answer {
  if (typeof answer !== 'object' || answer === null || !('problem' in answer)) return answer;
  if (typeof answer.problem !== 'object' || answer.problem === null) return answer;
  // In the adapter interface, a member with this name is always a problem.
  const problem = answer.problem as AdapterProblem;
  return problem.phase === undefined ? { ...answer, problem: { ...problem, phase } } : answer;
}
