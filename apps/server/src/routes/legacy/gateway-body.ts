import { z } from '@hono/zod-openapi';
import { invalidRequest, type ProblemIssue, Secret } from '@ledger-ops/base';
import type { SendRequest } from '@ledger-ops/runtime';
import type { PointerMap } from '../../http/problems/pointers.ts';
import type { BodySpec } from '../../http/route.ts';
import { longText, text } from '../../http/schemas.ts';
import {
  filledWith,
  gloMember,
  passwordMember,
  readWithGlo,
  sendingMembers,
  sendingPointers,
  sendRequest,
} from '../operations/send-body.ts';

const olderGlo = {
  type: 'contract_call',
  params: {
    contractInstance: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
    methodName: 'transfer(address,uint256)',
    args: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '1'],
  },
};

const actionSchema = z
  .object({
    ...sendingMembers,
    context: longText(65_536)
      .or(z.literal(''))
      .nullish()
      .openapi({ type: ['string', 'null'], description: 'Stored and returned with the action.' }),
    glo: gloMember,
    serviceSession: z.string().max(1_024).nullish().openapi({
      description:
        'Cookie value of a valid session of the caller; empty or absent for a request without a session.',
    }),
    walletPassword: passwordMember,
  })
  .openapi('GatewayActionBody');

/** A send request and the session that it names. */
export interface GatewayAction {
  readonly request: SendRequest;
  readonly session: Secret | undefined;
  /** Maps pointers into the GLO to the body. */
  readonly places: PointerMap;
}

/** Body of the deprecated gateway's send: a canonical GLO, or its own form `{type, params}`. */
export const gatewayActionBody: BodySpec<GatewayAction> = {
  type: 'application/json',
  size: 'contract',
  schema: actionSchema,
  example: {
    walletId: 'alice',
    walletPassword: 'correct horse battery staple',
    glo: olderGlo,
    dependencies: [],
    intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
    tag: null,
    context: null,
    serviceSession: '',
  },
  read(input) {
    const { data, glo, places } = readWithGlo(actionSchema, input);
    const { serviceSession: session } = data;
    return {
      request: { ...sendRequest(glo, data, pointers), context: data.context ?? null },
      session: session === undefined || session === null || session === '' ? undefined : new Secret(session),
      places,
    };
  },
};

const pluginActionSchema = z
  .object({
    ...sendingMembers,
    glo: gloMember.openapi({ description: 'Must have type contract_call.' }),
    ledger: text(64).openapi({ description: 'Technology of the ledger, as in locators.' }),
    ledgerId: text(64),
    pluginId: text(256),
    pluginSecrets: z
      .object({ walletPassword: passwordMember })
      .catchall(z.string().max(65_536))
      .openapi({ description: 'walletPassword is required.' }),
    wallet: text(64).openapi({ description: 'Equals walletId.' }),
  })
  .openapi('GatewayPluginActionBody');

/**
 * A request to send through a chosen plugin. `technology` is the technology that the caller expects the
 * ledger to have.
 */
export interface GatewayPluginAction {
  readonly request: SendRequest & { readonly ledgerId: string };
  readonly technology: string;
  readonly places: PointerMap;
}

/** Body of the deprecated gateway's operation that sends through a chosen plugin. */
export const gatewayPluginActionBody: BodySpec<GatewayPluginAction> = {
  type: 'application/json',
  size: 'contract',
  schema: pluginActionSchema,
  example: {
    wallet: 'alice',
    walletId: 'alice',
    pluginSecrets: { walletPassword: 'correct horse battery staple' },
    ledger: 'ethereum',
    ledgerId: 'dev-ethereum',
    pluginId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c14',
    glo: olderGlo,
    dependencies: [],
    intent: null,
    tag: null,
  },
  read(input) {
    // If `pluginSecrets` is missing, the issues name its required members.
    const { data, glo, places } = readWithGlo(
      pluginActionSchema,
      input,
      filledWith({ pluginSecrets: {} }, input),
    );
    const issues: ProblemIssue[] = [];
    if (data.wallet !== data.walletId) issues.push({ pointer: '/wallet', detail: 'differs from walletId' });
    if (glo.type !== 'contract_call')
      issues.push({ pointer: '/glo/type', detail: 'must be "contract_call"' });
    if (issues.length > 0) throw invalidRequest(issues);
    const { ledgerId, pluginId, pluginSecrets } = data;
    const own = { ...pointers, walletPassword: '/pluginSecrets/walletPassword', ledgerId: '/ledgerId' };
    const sending = { ...data, walletPassword: pluginSecrets.walletPassword };
    return {
      request: { ...sendRequest(glo, sending, own), ledgerId, pluginId },
      technology: data.ledger,
      places,
    };
  },
};

const pointers = { ...sendingPointers(), deadline: '' };
