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

/** Maximum number of dependencies of an action. */
const maxDependencies = 100;

/** The GLO in a body; documented as the component `Glo`. */
export const gloMember = z
  .unknown()
  .nonoptional()
  .openapi({ type: 'object', allOf: [{ $ref: '#/components/schemas/Glo' }] });

/** Members that all forms of sending share. */
export const sendingMembers = {
  dependencies: z.array(uuid()).max(maxDependencies).nullish(),
  /** Responses keep the letter case of the request; comparisons ignore case. */
  intent: uuidAsWritten().nullish(),
  tag: text(256, 0).nullish(),
  walletId: text(64),
};

/** Text arguments in bodies without a GLO. */
export const argumentTexts = z.array(z.string().max(gloLimits.argLength)).max(gloLimits.args);

/** Wallet password in a body. */
export const passwordMember = z.string().min(1, 'must not be empty').max(1024);

/** Maximum number of co-signing wallets. */
const maxOthers = 16;
const otherWallet = z
  .strictObject({ walletId: text(64), walletPassword: passwordMember })
  .openapi('OtherWallet');

/** An operation with its sending wallet and the wallet's password. */
export const sendingEnvelope = z.strictObject({
  ...sendingMembers,
  glo: gloMember,
  walletPassword: passwordMember,
  wallets: z.array(otherWallet).max(maxOthers).optional().openapi({
    description:
      'The other wallets that meta names as signers or payers (members marked `x-wallet` in the schemas of `GET /v1/technologies`), by id or address. The list must contain exactly these wallets, each once. All must be on the ledger of walletId, and the caller must be allowed to send from each.',
  }),
  deadline: time().optional(),
});
const envelope = sendingEnvelope
  .extend({
    registration: z
      .strictObject({
        contractId: text(64).optional().openapi({ description: 'Default: the id of the action.' }),
        name: text(200).optional().openapi({ description: 'Default: its id.' }),
      })
      .optional()
      .openapi({
        description:
          'For a deployment: the id and name under which the contract is registered when the action succeeds.',
      }),
  })
  .openapi('SendBody');

/** Members of a body other than its operation. */
interface Sending extends z.output<z.ZodObject<typeof sendingMembers>> {
  walletPassword: string;
  wallets?: { walletId: string; walletPassword: string }[] | undefined;
  deadline?: string | undefined;
}

/** Returns the pointers to the members in a body, or below `at`. */
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

/** Creates the send request; null and absent members are equivalent. */
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

/** A request created from a body, and the map of pointers from the GLO to that body. */
export interface Placed<Request> {
  readonly request: Request;
  readonly places: PointerMap;
}

/** Body of send, or of contract/call, which accepts only contract calls. */
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
          {
            pointer: '/glo/type',
            detail: `must be "${only}" here; to send a "${glo.type}", use POST /v1/ledger-ops/send`,
          },
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
    throw invalidRequest([{ pointer: '/registration', detail: 'is only allowed for contract_deploy' }]);
  }
  const { contractId, name = null } = registration;
  const pointer = '/registration/contractId';
  return {
    registration: { contractId: contractId === undefined ? null : chosenId(contractId, pointer), name },
    pointers: { ...sendingPointers(), wallets: '/wallets', contractId: pointer },
  };
}

/** Adds default members that the body lacks. */
export function filledWith(members: object, input: unknown): unknown {
  return isObject(input) ? { ...members, ...input } : input;
}

/**
 * Parses a body with its schema, and its member `glo`.
 * @param filled `input`, completed so that issues name the required members of an object that is missing
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

/**
 * Returns the pointer map for the older forms `{type, params}` and `{type, options}`, in which members have
 * other names and places.
 */
function placesOf(input: object): PointerMap {
  const glo: unknown = Reflect.get(input, 'glo');
  if (!isObject(glo) || 'version' in glo) return [];
  const member = 'params' in glo ? 'params' : 'options';
  const options: unknown = Reflect.get(glo, member);
  if (!isObject(options) || !('contractInstance' in options)) return [];
  const contract = `/glo/${member}/contractInstance`;
  return [
    // If the contract is a string, all pointers into the locator map to it.
    isObject(options.contractInstance)
      ? ['/glo/options/contract_instance', contract]
      : ['/glo/options/contract_instance', contract, 'whole'],
    ['/glo/options/method_name', `/glo/${member}/methodName`],
    ['/glo/options', `/glo/${member}`],
  ];
}

/** Returns a problem if the GLO cannot be parsed, so that all issues can be reported together. */
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

/** Removes duplicate issues. */
function dedupe(issues: readonly ProblemIssue[]): ProblemIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.pointer}\n${issue.detail}`, issue])).values()];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Example transfer to another wallet, for the API reference. */
export const transferGloExample = {
  version: '0.1.0',
  type: 'transfer',
  options: {
    recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' },
    amount: '1000000000000000',
  },
};

/** Example body, for the API reference. */
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
