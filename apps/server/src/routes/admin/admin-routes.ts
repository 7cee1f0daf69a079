import type { AdminOperation } from '@ledger-ops/auth';
import { invalidRequest, type ProblemName } from '@ledger-ops/base';
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
  const description = operation.secret === true ? secretNote : undefined;
  return {
    method,
    path,
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    service,
    // Whoever finds the record demands it, wherever the operation says that it is needed.
    permission: {
      needs: operation.permission.needs,
      on: operation.permission.on === 'self' ? 'self' : 'record',
    },
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
          },
    ...(operation.creates === true ? { creates: { present: (stored: unknown) => stored } } : {}),
    answers: {
      [status]: { description: answerText[status], ...(status === 202 ? {} : { schema: output }) },
    },
    problems: problemsOf(operation),
    async run(raw) {
      const request = {
        principal: principalOf(raw),
        params: raw.params,
        query: splitQuery(lists, raw.query),
        body: raw.body,
        claim: raw.claim,
      };
      // The operation parses what it is given; this is for the service's own words of what is wrong.
      if (params !== undefined) parseWith(params, request.params, 'parameter');
      if (query !== undefined) parseWith(query, request.query, 'parameter');
      if (body !== undefined && !(isOptional && raw.body === undefined)) {
        if (!isObject(raw.body)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }]);
        parseWith(body, raw.body, 'body');
      }
      const answer = await operation.run(request);
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

function problemsOf({ params, body, creates, method }: AdminOperation): ProblemName[] {
  return [
    ...(params === undefined && body === undefined ? [] : (['not-found'] as const)),
    ...(method === 'get' ? [] : (['conflict'] as const)),
    ...(creates === true ? (['already-exists'] as const) : []),
  ];
}

function principalOf({ caller }: RawRequest) {
  if (caller !== undefined && 'serviceId' in caller) return caller;
  throw new TypeError('The administration is for authenticated callers.');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
