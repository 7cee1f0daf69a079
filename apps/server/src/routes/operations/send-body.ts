import { z } from '@hono/zod-openapi';
import { chosenId } from '@ledger-ops/auth';
import { invalidRequest, Problem, type ProblemIssue, Secret } from '@ledger-ops/base';
import { type Glo, GloError, gloLimits, parseGlo } from '@ledger-ops/glo-core';
import type { SendRequest } from '@ledger-ops/runtime';
import { issuesFrom } from '../../http/problems/issues.ts';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { toProblem } from '../../http/problems/problem-answer.ts';
import type { BodySpec } from '../../http/route.ts';
import { text, time, uuid, uuidAsWritten } from '../../http/schemas.ts';

/** Most actions that one action can depend on. */
const maxDependencies = 100;

/** Where the GLO stands in the document; its own schema is the component `Glo`. */
export const gloMember = z
  .unknown()
  .nonoptional()
  .openapi({ type: 'object', allOf: [{ $ref: '#/components/schemas/Glo' }] });

/** The members that every way of sending has. */
export const sendingMembers = {
  dependencies: z.array(uuid()).max(maxDependencies).nullish(),
  /** Answered as it was written; compared without regard to case. */
  intent: uuidAsWritten().nullish(),
  tag: text(256, 0).nullish(),
  walletId: text(64),
};

/** Arguments as texts, where a body has them beside a GLO. */
export const argumentTexts = z.array(z.string().max(gloLimits.argLength)).max(gloLimits.args);

/** A wallet password in a body. */
export const passwordMember = z.string().min(1, 'must not be empty').max(1024);

/** Most wallets that sign beside the sender's. */
const maxOthers = 16;
const otherWallet = z
  .strictObject({ walletId: text(64), walletPassword: passwordMember })
  .openapi('OtherWallet');

/** An operation, the wallet that it is sent from, and its password. */
export const sendingEnvelope = z.strictObject({
  ...sendingMembers,
  glo: gloMember,
  walletPassword: passwordMember,
  wallets: z.array(otherWallet).max(maxOthers).optional().openapi({
    description:
      'The other wallets that meta names as signers or payers (`x-wallet` in the schema of GET /v1/technologies), by id or address: each of them, once, and no other. On the ledger of walletId; the caller may send from each.',
  }),
  deadline: time().optional(),
});
const envelope = sendingEnvelope
  .extend({
    registration: z
      .strictObject({
        contractId: text(64).optional().openapi({ description: 'Absent: the id of the action.' }),
        name: text(200).optional().openapi({ description: 'Absent: its id.' }),
      })
      .optional()
      .openapi({
        description:
          'Of a deployment: by which id and name the contract is registered, in the moment in which the action succeeds.',
      }),
  })
  .openapi('SendBody');

/** A body's members about sending, beside its operation. */
interface Sending extends z.output<z.ZodObject<typeof sendingMembers>> {
  walletPassword: string;
  wallets?: { walletId: string; walletPassword: string }[] | undefined;
  deadline?: string | undefined;
}

/** Where the members stand in a body, or in what it has at `at`. */
export function sendingPointers(at = ''): SendRequest['pointers'] {
  return {
    glo: '/glo',
    walletId: `${at}/walletId`,
    walletPassword: `${at}/walletPassword`,
    dependencies: `${at}/dependencies`,
    intent: `${at}/intent`,
    deadline: `${at}/deadline`,
    ledgerId: `${at}/walletId`,
  };
}

/** The request to send an operation: what is absent and what is null are the same. */
export function sendRequest(
  glo: Glo,
  { walletId, walletPassword, wallets, dependencies, intent, tag, deadline }: Sending,
  pointers: SendRequest['pointers'] = { ...sendingPointers(), wallets: '/wallets' },
): SendRequest {
  return {
    glo,
    walletId,
    walletPassword: new Secret(walletPassword),
    ...(wallets === undefined
      ? {}
      : {
          wallets: wallets.map((one) => ({
            walletId: one.walletId,
            walletPassword: new Secret(one.walletPassword),
          })),
        }),
    dependencies: dependencies ?? [],
    intent: intent ?? null,
    tag: tag ?? null,
    ...(deadline === undefined ? {} : { deadline }),
    pointers,
  };
}

/** A request that was made from a body, and where the parts of its GLO stand there. */
export interface Placed<Request> {
  readonly request: Request;
  readonly places: PointerMap;
}

/** The body of send, or of contract/call when only contract calls are taken. */
export function sendBody(only?: 'contract_call'): BodySpec<Placed<SendRequest>> {
  return {
    type: 'application/json',
    size: 'contract',
    schema: envelope,
    example: only === undefined ? transferExample : callExample,
    read(input) {
      const { data, glo, places } = readWithGlo(envelope, input);
      if (only !== undefined && glo.type !== only) {
        throw invalidRequest([
          { pointer: '/glo/type', detail: `must be "${only}" here; use send for "${glo.type}"` },
        ]);
      }
      return { request: { ...sendRequest(glo, data), ...registrationOf(glo, data) }, places };
    },
  };
}

function registrationOf(
  glo: Glo,
  { registration }: z.output<typeof envelope>,
): Pick<SendRequest, 'registration' | 'pointers'> | undefined {
  if (registration === undefined) return undefined;
  if (glo.type !== 'contract_deploy') {
    throw invalidRequest([{ pointer: '/registration', detail: 'is only for a contract_deploy' }]);
  }
  const { contractId, name = null } = registration;
  const pointer = '/registration/contractId';
  return {
    registration: { contractId: contractId === undefined ? null : chosenId(contractId, pointer), name },
    pointers: { ...sendingPointers(), wallets: '/wallets', contractId: pointer },
  };
}

/** A body with members that it may lack. */
export function filledWith(members: object, input: unknown): unknown {
  return isObject(input) ? { ...members, ...input } : input;
}

/**
 * Reads a body by its schema, and its member `glo`. `filled` is the body with what the schema wants to be there.
 *
 * @throws Problem with the issues of both
 */
export function readWithGlo<Data>(
  schema: z.ZodType<Data>,
  input: unknown,
  filled: unknown = input,
): { data: Data; glo: Glo; places: PointerMap } {
  if (!isObject(input)) throw invalidRequest([{ pointer: '', detail: 'must be an object' }]);
  const found = schema.safeParse(filled);
  const glo = readGlo(input);
  if (!found.success) {
    const inGlo = glo instanceof Problem ? glo.errors : [];
    throw invalidRequest(dedupe([...issuesFrom(found.error, filled, 'body'), ...inGlo]));
  }
  if (glo instanceof Problem) throw glo;
  return { data: found.data, glo, places: placesOf(input) };
}

/** In the older forms, `{type, params}` and `{type, options}`, options have other names, and the first has another place. */
function placesOf(input: object): PointerMap {
  const glo: unknown = Reflect.get(input, 'glo');
  if (!isObject(glo) || 'version' in glo) return [];
  const member = 'params' in glo ? 'params' : 'options';
  const options: unknown = Reflect.get(glo, member);
  if (!isObject(options) || !('contractInstance' in options)) return [];
  const contract = `/glo/${member}/contractInstance`;
  return [
    // A locator has the same members as ever, a text has none.
    isObject(options.contractInstance)
      ? ['/glo/options/contract_instance', contract]
      : ['/glo/options/contract_instance', contract, 'whole'],
    ['/glo/options/method_name', `/glo/${member}/methodName`],
    ['/glo/options', `/glo/${member}`],
  ];
}

/** A problem instead of the GLO when it cannot be read, so that all issues can be told at once. */
function readGlo(input: object): Glo | Problem {
  const glo: unknown = Reflect.get(input, 'glo');
  if (glo === undefined) return invalidRequest([{ pointer: '/glo', detail: 'is required' }]);
  try {
    return parseGlo(glo, { pointer: '/glo' });
  } catch (error) {
    if (error instanceof GloError) return toProblem(error);
    throw error;
  }
}

/** Issues without those that say the same of the same place. */
function dedupe(issues: readonly ProblemIssue[]): ProblemIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.pointer}\n${issue.detail}`, issue])).values()];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A transfer to another wallet, for the reference. */
export const transferGloExample = {
  version: '0.1.0',
  type: 'transfer',
  options: {
    recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' },
    amount: '1000000000000000',
  },
};

/** A whole body, for the reference. */
export const transferExample = {
  walletId: 'alice',
  walletPassword: 'correct horse battery staple',
  intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
  tag: 'first transfer',
  dependencies: [],
  glo: transferGloExample,
};

const callExample = {
  walletId: 'alice',
  walletPassword: 'correct horse battery staple',
  intent: null,
  dependencies: [],
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      contract_instance: {
        lookup_service: { type: 'ledger', value: 'ethereum' },
        resource: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      },
      method_name: 'transfer(address,uint256)',
      args: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '1'],
    },
  },
};
