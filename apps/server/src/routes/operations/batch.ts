import { z } from '@hono/zod-openapi';
import { invalidRequest, Problem, type ProblemIssue } from '@ledger-ops/base';
import type { AcceptedBatch, Actions, BatchRequest, BatchResult } from '@ledger-ops/runtime';
import { created } from '../../http/answer.ts';
import { parseWith } from '../../http/problems/issues.ts';
import { type PointerMap, remapProblem } from '../../http/problems/pointers.ts';
import { problemSchema } from '../../http/problems/problem-schema.ts';
import { type BodySpec, defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { acceptedBody, acceptedExample, acceptedSchema } from '../../present/action.ts';
import { readWithGlo, sendingEnvelope, sendRequest, transferExample } from './send-body.ts';
import { sendPermission } from './send-permission.ts';
import { sendProblems } from './send-problems.ts';

/** Maximum number of operations per batch. */
const maxOperations = 1_000;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const operationSchema = sendingEnvelope
  .extend({
    name: text(64).optional().openapi({
      description:
        'Name that other operations in the batch use in `dependencies` to refer to this one; must not have the form of an action id.',
    }),
    dependencies: z
      .array(text(64))
      .max(100)
      .nullish()
      .openapi({ description: 'Names of operations of this batch, or ids of actions.' }),
  })
  .openapi('BatchOperation');

const batchSchema = z
  .strictObject({
    allOrNothing: z
      .boolean()
      .default(false)
      .openapi({ description: '`true`: accept either every operation or none.' }),
    operations: z.array(operationSchema).min(1).max(maxOperations),
  })
  .openapi('BatchBody');
/** Operations are parsed separately, so that an error in one does not reject the others. */
const outlineSchema = z.strictObject({
  allOrNothing: z.boolean().default(false),
  operations: z.array(z.unknown()).min(1).max(maxOperations),
});

const refusedSchema = z
  .object({ name: z.string().optional(), status: z.literal('REFUSED'), problem: problemSchema })
  .openapi('BatchRefusal');
const answerSchema = z
  .object({
    accepted: z.int().openapi({ description: 'Number of accepted operations.' }),
    refused: z.int(),
    results: z
      .array(
        z.union([
          z.object({ ...acceptedSchema.shape, name: z.string().optional() }).openapi('BatchAcceptance'),
          refusedSchema,
        ]),
      )
      .openapi({ description: 'One result per operation, in order.' }),
  })
  .openapi('BatchAnswer');

interface Batch extends BatchRequest {
  /** Maps pointers into each operation's GLO to the operation. */
  readonly places: readonly PointerMap[];
}

const batchBody: BodySpec<Batch> = {
  type: 'application/json',
  size: 'contract',
  schema: batchSchema,
  example: {
    allOrNothing: true,
    operations: [{ ...transferExample, name: 'fund' }],
  },
  read(input) {
    const { allOrNothing, operations } = parseWith(outlineSchema, input, 'body');
    const read = operations.map(readOperation);
    refuseNames(read.map(({ name }) => name));
    return { allOrNothing, operations: read, places: read.map(({ places }) => places) };
  },
};

function readOperation(input: unknown): BatchRequest['operations'][number] & { places: PointerMap } {
  // Reads the name even if the rest is invalid.
  const given: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'name') : undefined;
  const name = typeof given === 'string' ? given : null;
  try {
    const { data, glo, places } = readWithGlo(operationSchema, input);
    return { name, request: sendRequest(glo, data), places };
  } catch (error) {
    if (error instanceof Problem) return { name, request: error, places: [] };
    throw error;
  }
}

function refuseNames(names: readonly (string | null)[]): void {
  const errors: ProblemIssue[] = [];
  const seen = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    if (name === null) continue;
    const pointer = `/operations/${at}/name`;
    const first = seen.get(name);
    if (first !== undefined) errors.push({ pointer, detail: `is already the name of operation ${first}` });
    if (uuidForm.test(name)) errors.push({ pointer, detail: 'must not look like an action id' });
    seen.set(name, first ?? at);
  }
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Sends many operations in one request and one database transaction. */
export function batchRoute(actions: Pick<Actions, 'sendBatch'>): Route {
  return defineRoute({
    method: 'post',
    path: '/v1/ledger-ops/batch',
    operationId: 'sendBatch',
    contacts: ['ledger'],
    summary: 'Send many operations',
    description:
      'Up to 1,000 operations, stored in one transaction. Each is checked like `send` and has its own result. Operations can depend on each other by name, in any order. A call to a contract that another operation deploys names it as `action:<name>`. An operation that depends on a refused one is refused. If no operation can be accepted, or if allOrNothing is true and any operation is refused, the response is 422 (for a single operation: its own problem) and nothing is stored. Operations of a wallet are signed in the order of the batch, unless their dependencies require another order. A nonce in meta is checked when the operation is signed.',
    service: 'ledger-operations',
    permission: sendPermission,
    body: batchBody,
    creates: { present: presentBatch },
    answers: {
      201: {
        description: 'The result of each; accepted operations survive a crash and are executed exactly once.',
        schema: answerSchema,
        example: { accepted: 1, refused: 0, results: [{ ...acceptedExample, name: 'fund' }] },
      },
    },
    problems: [...sendProblems, 'batch-refused'],
    async handle({ principal, body, claim }) {
      const answer = (results: readonly BatchResult[]) => answerBody(body, results);
      const results = await actions.sendBatch(principal, body, answer, claim);
      if (results.some(({ outcome }) => outcome === 'accepted')) return created(answer(results));
      const [only] = results;
      // A rejected batch of one operation gets the problem of the operation, like `send`.
      if (results.length === 1 && only?.outcome === 'refused') throw placed(body, only.problem, 0);
      throw noneAccepted(body, results);
    },
  });
}

function answerBody(batch: Batch, results: readonly BatchResult[]) {
  const bodies = results.flatMap((result, at): object[] => {
    const name = batch.operations[at]?.name ?? null;
    const named = name === null ? {} : { name };
    if (result.outcome === 'accepted') return [{ ...named, ...acceptedBody(result.action) }];
    if (result.outcome === 'withheld') return [];
    return [{ ...named, status: 'REFUSED', problem: placed(batch, result.problem, at).toDocument() }];
  });
  const accepted = results.filter(({ outcome }) => outcome === 'accepted').length;
  return { accepted, refused: results.length - accepted, results: bodies };
}

/**
 * Returns the response to a retried batch: the stored response, or one rebuilt from the actions and the body
 * of the retry. The reasons of refusals are stored only for 24 hours.
 */
function presentBatch(stored: unknown, body: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || !('actions' in stored)) return stored;
  const { actions } = stored as AcceptedBatch; // Rebuilt by the runtime.
  const answers = new Map(actions.map(({ position, answer }) => [position, answer]));
  const { operations } = parseWith(outlineSchema, body, 'body');
  const results = operations.map((operation, at) => {
    const { name } = readOperation(operation);
    const answer = answers.get(at) ?? { status: 'REFUSED', problem: refusedLongAgo().toDocument() };
    return { ...(name === null ? {} : { name }), ...answer };
  });
  return { accepted: actions.length, refused: results.length - actions.length, results };
}

function refusedLongAgo(): Problem {
  return new Problem(
    'answer-not-replayable',
    'The operation was refused when the batch was first sent, more than 24 hours ago. Send it again with a new key.',
  );
}

/** Maps an operation's problem to pointers into the batch. */
function placed({ places }: Batch, problem: Problem, at: number): Problem {
  return remapProblem(remapProblem(problem, places[at] ?? []), [['', `/operations/${at}`]]);
}

function noneAccepted(batch: Batch, results: readonly BatchResult[]): Problem {
  const refused = results.flatMap((result, at) =>
    result.outcome === 'refused' ? [{ at, problem: placed(batch, result.problem, at) }] : [],
  );
  const errors = refused.flatMap(({ at, problem }) =>
    problem.errors.length > 0
      ? [...problem.errors]
      : [{ pointer: `/operations/${at}`, detail: problem.message }],
  );
  const others = batch.allOrNothing ? ', and with allOrNothing no operation is accepted then' : '';
  const detail = `${refused.length} of ${results.length} operations cannot be accepted${others}.`;
  const extensions = {
    refused: refused.map(({ at, problem }) => ({ operation: at, problem: problem.toDocument() })),
  };
  return new Problem('batch-refused', detail, { errors, extensions });
}
