import type { AdminOperation } from '@ledger-ops/auth';
import { invalidRequest, type ProblemName } from '@ledger-ops/base';
import { bodyLimitOf } from '../../http/body-limits.ts';
import { parseWith } from '../../http/issues.ts';
import { listParameters, splitQuery } from '../../http/query.ts';
import type { RawRequest, Route } from '../../http/route.ts';
import { examples } from './examples.ts';

/** Routes of the administration, made from its operations: one mechanism, whatever the service. */
export function adminRoutes(operations: readonly AdminOperation[]): Route[] {
  // Images are answered as bytes (image.ts).
  return operations.filter(({ service }) => service !== 'images').map(adminRoute);
}

function adminRoute(operation: AdminOperation): Route {
  const { operationId, service, method, path, summary, params, query, status, output, body } = operation;
  const lists = query === undefined ? new Set<string>() : listParameters(query);
  const isOptional = body?.safeParse(undefined).success === true;
  const readBody = (given: unknown) => {
    if (body === undefined || (isOptional && given === undefined)) return undefined;
    if (!isObject(given)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }]);
    return parseWith(body, given, 'body');
  };
  const description = operation.description ?? (operation.secret === true ? secretNote : undefined);
  return {
    method,
    path,
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    service,
    permission: operation.permission,
    ...(operation.current === true ? {} : { deprecated: true }),
    params,
    query,
    body:
      body === undefined
        ? undefined
        : {
            type: 'application/json',
            schema: body,
            example: examples[operationId],
            optional: isOptional,
            limit: bodyLimitOf(operation.permission, { size: operation.bodySize ?? 'record' }),
          },
    ...(operation.creates === true ? { creates: { present: (stored: unknown) => stored } } : {}),
    answers: {
      [status]: { description: answerText[status], ...(status === 202 ? {} : { schema: output }) },
    },
    problems: problemsOf(operation),
    async run(raw) {
      const answer = await operation.handle({
        principal: principalOf(raw),
        params: params === undefined ? {} : parseWith(params, raw.params, 'parameter'),
        query: query === undefined ? {} : parseWith(query, splitQuery(lists, raw.query), 'parameter'),
        body: readBody(raw.body),
        claim: raw.claim,
      });
      return status === 202 ? { status } : { status, body: answer };
    },
  };
}

const secretNote =
  'The answer holds a secret that is shown this once, and is not replayed by its Idempotency-Key.';
const answerText = {
  200: 'The answer.',
  201: 'What was created.',
  202: 'It was accepted, and happens soon.',
} as const;

function problemsOf({ params, query, body, creates, method, problems = [] }: AdminOperation): ProblemName[] {
  // Whatever names a record can name one that is not there: path, body, or filter.
  const isNamed = [params, query, body].some((part) => part !== undefined);
  return [
    ...(isNamed ? (['not-found'] as const) : []),
    ...(method === 'get' ? [] : (['conflict'] as const)),
    ...(creates === true ? (['already-exists'] as const) : []),
    ...problems,
  ];
}

function principalOf({ caller }: RawRequest) {
  if (caller !== undefined && 'serviceId' in caller) return caller;
  throw new TypeError('The administration is for authenticated callers.');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
