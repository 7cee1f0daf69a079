import { z } from '@hono/zod-openapi';
import { invalidRequest, Problem, type ProblemIssue } from '@ledger-ops/base';
import type { Actions, BatchRequest, BatchResult } from '@ledger-ops/runtime';
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

/** Most operations of one batch. */
const maxOperations = 1_000;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const operationSchema = sendingEnvelope
  .extend({
    name: text(64)
      .optional()
      .openapi({ description: 'By which others of the batch depend on it; not the form of an action id.' }),
    dependencies: z
      .array(text(64))
      .max(100)
      .nullish()
      .openapi({ description: 'Names of operations of this batch, and ids of actions.' }),
  })
  .openapi('BatchOperation');

const batchSchema = z
  .strictObject({
    allOrNothing: z
      .boolean()
      .default(false)
      .openapi({ description: 'Nothing is accepted unless every operation can be.' }),
    operations: z.array(operationSchema).min(1).max(maxOperations),
  })
  .openapi('BatchBody');
/** Each operation is read by itself, so that what is wrong with one refuses that one. */
const outlineSchema = z.strictObject({
  allOrNothing: z.boolean().default(false),
  operations: z.array(z.unknown()).min(1).max(maxOperations),
});

const refusedSchema = z
  .object({ name: z.string().optional(), status: z.literal('REFUSED'), problem: problemSchema })
  .openapi('BatchRefusal');
const answerSchema = z
  .object({
    accepted: z.int().openapi({ description: 'Operations that were accepted.' }),
    refused: z.int(),
    results: z
      .array(
        z.union([
          z.object({ ...acceptedSchema.shape, name: z.string().optional() }).openapi('BatchAcceptance'),
          refusedSchema,
        ]),
      )
      .openapi({ description: 'Of each operation, in their order.' }),
  })
  .openapi('BatchAnswer');

interface Batch extends BatchRequest {
  /** Where the parts of each operation's GLO stand in it. */
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
  // Its name is wanted where the rest is wrong too.
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
    if (first !== undefined) errors.push({ pointer, detail: `is the name of operation ${first} already` });
    if (uuidForm.test(name)) errors.push({ pointer, detail: 'must not have the form of an action id' });
    seen.set(name, first ?? at);
  }
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Many operations in one request and one transaction of the database. */
export function batchRoute(actions: Pick<Actions, 'sendBatch'>): Route {
  return defineRoute({
    method: 'post',
    path: '/v1/ledger-ops/batch',
    operationId: 'sendBatch',
    summary: 'Send many operations',
    description:
      'Up to 1,000 operations, stored in one transaction: what is answered as accepted is accepted together. Each is checked as send checks it and has an answer of its own; operations depend on each other by their names, in any order; a call names the contract that another one deploys as action:<name>. One that depends on a refused one is refused. With allOrNothing, or where none can be accepted, the answer is 422 (to a single operation: its own problem) and nothing was stored. Operations of a wallet are signed in the order of the batch, as far as their dependencies allow. A nonce that meta demands is checked when it is signed.',
    service: 'ledger-operations',
    permission: sendPermission,
    body: batchBody,
    creates: { present: (stored) => stored },
    answers: {
      201: {
        description: 'What became of each; what is accepted survives a crash and happens once.',
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
      // A batch of one is answered as a send.
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

/** The problem of an operation, pointing into the batch. */
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
  const others = batch.allOrNothing ? ', and with allOrNothing nothing is accepted unless all are' : '';
  const detail = `${refused.length} of ${results.length} operations cannot be accepted${others}.`;
  const extensions = {
    refused: refused.map(({ at, problem }) => ({ operation: at, problem: problem.toDocument() })),
  };
  return new Problem('batch-refused', detail, { errors, extensions });
}
