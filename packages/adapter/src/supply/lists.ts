import type { Estimated, EstimateRequest } from '../contract/check.ts';
import type { Prepared, PrepareRequest, SignedTransaction } from '../contract/prepare.ts';
import type { Answered, Each, Session } from '../contract/session.ts';
import type { Submission } from '../contract/submit.ts';
import type { Round } from '../contract/wallets.ts';
import { isTransient } from '../error.ts';
import type { LedgerSession } from '../host.ts';
import { answerAll } from './each.ts';

type Lists = Pick<LedgerSession, 'estimate' | 'prepare' | 'advance' | 'submit'>;

/**
 * Returns the calls that every adapter answers in batches.
 * @param translate converts other errors to AdapterErrors
 */
export function listsOf(session: Session, translate: (error: unknown) => unknown): Lists {
  const bound = <Request, Answer>(each: Each<Request, Answer>): Each<Request, Answer> =>
    typeof each === 'function' ? each.bind(session) : each;
  const estimate = answerAll<EstimateRequest, Estimated>(
    bound(session.estimate ?? (({ plan }) => ({ status: 'ready', plan }))),
    translate,
    ({ problem }) => ({ status: isTransient(problem) ? 'wait' : 'failed', problem }),
  );
  const prepare = answerAll<PrepareRequest, Round<SignedTransaction> | Prepared>(
    bound(session.prepare),
    translate,
    (error) => {
      if (isTransient(error.problem)) throw error;
      return { status: 'failed', problem: error.problem };
    },
  );
  const submit = answerAll<Submission, Answered>(bound(session.submit), translate, ({ problem }) => ({
    status: isTransient(problem) ? 'unavailable' : 'refused',
    problem,
  }));
  return {
    estimate: (requests) => notBefore(session, requests, estimate),
    prepare: async (requests) => (await prepare(requests)).map(asPrepared),
    advance: answerAll(bound(session.advance), translate),
    submit: async (submissions) =>
      (await submit(submissions)).map((answer, index) => ({
        txId: submissions[index]?.txId ?? '',
        ...answer,
      })),
  };
}

/** Returns a single round as the main attempt. The host rejects any other value, such as undefined. */
function asPrepared(answer: Round<SignedTransaction> | Prepared): Prepared {
  const isRound = typeof answer === 'object' && answer !== null && 'done' in answer;
  return isRound ? { status: 'prepared', attempts: [{ kind: 'main', round: answer }] } : answer;
}

/**
 * Estimates plans. If the session has `head`, returns `wait` for a request whose `minHeight` has not been
 * reached.
 */
async function notBefore(
  session: Session,
  requests: EstimateRequest[],
  estimate: LedgerSession['estimate'],
): Promise<Estimated[]> {
  const highest = Math.max(0, ...requests.map(({ minHeight }) => minHeight));
  if (session.head === undefined || highest === 0) return estimate(requests);
  const { height } = await session.head();
  const answers = await estimate(requests.filter(({ minHeight }) => minHeight <= height));
  const next = answers[Symbol.iterator]();
  return requests.flatMap(({ minHeight }): Estimated[] => {
    if (minHeight > height) {
      const detail = `The ledger is at block ${height}, but block ${minHeight} is required.`;
      return [{ status: 'wait', problem: { code: 'unavailable', detail } }];
    }
    const { value } = next.next();
    return value === undefined ? [] : [value];
  });
}
