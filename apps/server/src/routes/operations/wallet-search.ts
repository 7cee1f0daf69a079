import { z } from '@hono/zod-openapi';
import type { Principal } from '@ledger-ops/auth';
import { pagingParameters } from '@ledger-ops/base';
import { actionSortKeys, type Runtime } from '@ledger-ops/runtime';
import { ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { instant, pathId, text, uuid } from '../../http/schemas.ts';
import { actionBody, actionExample, actionSchema } from '../../present/action.ts';
import { noSuch } from '../not-found.ts';

const filters = {
  intent: uuid()
    .optional()
    .openapi({ description: 'Only actions with this intent (a UUID that groups actions).' }),
  status: z
    .string()
    .max(16, { abort: true })
    .transform((value) => value.toUpperCase())
    .pipe(z.enum(['PENDING', 'SUCCEEDED', 'FAILED']))
    .optional()
    .openapi({ type: 'string', enum: ['PENDING', 'SUCCEEDED', 'FAILED'] }),
  ledgerId: text(64).optional(),
  tag: text(256, 0).optional(),
  from: instant().optional().openapi({ description: 'Created at or after this time.' }),
  to: instant().optional().openapi({ description: 'Created at or before this time.' }),
};
const querySchema = z.strictObject({ ...filters, ...pagingParameters(actionSortKeys) });
const legacyQuerySchema = z.object({ ...filters, ...pagingParameters(actionSortKeys) });
type WalletQuery = z.output<typeof querySchema>;

const wallet = z.object({ walletId: pathId('Id of the wallet.') });
const read = { needs: 'wallet:read', on: 'record' } as const;
const actionPage = pageKind('ActionPage', actionSchema, 'A page of actions, newest first.');

/** Searches by wallet, including the deprecated paths. */
export function walletSearchRoutes({ actions, wallets }: Pick<Runtime, 'actions' | 'wallets'>): Route[] {
  async function search(principal: Principal, walletId: string, query: WalletQuery) {
    const { intent, status, ledgerId, tag, from, to, page, size, sort } = query;
    const found = await actions.byWallet(principal, walletId, {
      ...(intent === undefined ? {} : { intent }),
      ...(status === undefined ? {} : { status }),
      ...(ledgerId === undefined ? {} : { ledgerId }),
      ...(tag === undefined ? {} : { tag }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      page,
      size,
      sort,
    });
    return actionPage.answer(query, found, actionBody);
  }

  async function one(principal: Principal, walletId: string, actionId: string) {
    await wallets.demand(principal, 'wallet:read', walletId);
    const view = await actions.get(principal, actionId);
    if (view.walletId === walletId) return ok(actionBody(view));
    // Only a search by wallet finds the actions that the wallet receives.
    const query = { ids: [view.uid], page: 0, size: 1, sort: [] };
    const [received] = (await actions.byWallet(principal, walletId, query)).items;
    if (received === undefined) throw noSuch('action');
    return ok(actionBody(received));
  }

  const description =
    'Actions that the wallet sends or receives. Callers who may see only the receiving wallet get only succeeded actions, and of these only public data. Filters and sort orders use only this data, and `actionId` is valid only in searches for this wallet.';
  return [
    defineRoute({
      method: 'get',
      path: '/v1/ledger-ops/search/wallets/{walletId}/actions',
      operationId: 'searchWallet',
      contacts: ['ledger'],
      summary: 'Search by wallet',
      description,
      service: 'ledger-operations',
      permission: read,
      params: wallet,
      query: querySchema,
      answers: actionPage.answers,
      problems: ['not-found'],
      handle: ({ principal, params, query }) => search(principal, params.walletId, query),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger/ops/search/wallets/{walletId}/actions',
      operationId: 'legacySearchWallet',
      contacts: ['ledger'],
      successor: '/v1/ledger-ops/search/wallets/{walletId}/actions',
      summary: 'Search by wallet (deprecated path)',
      description,
      service: 'ledger-operations',
      permission: read,
      deprecated: true,
      params: wallet,
      query: legacyQuerySchema,
      answers: actionPage.answers,
      problems: ['not-found'],
      handle: ({ principal, params, query }) => search(principal, params.walletId, query),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/ledger/ops/search/wallets/{walletId}/actions/{actionId}',
      operationId: 'legacyGetAction',
      successor: '/v1/ledger-ops/search/actions/{actionId}',
      summary: 'Get an action of a wallet (deprecated path)',
      service: 'ledger-operations',
      permission: read,
      deprecated: true,
      params: z.object({ walletId: pathId('Id of the wallet.'), actionId: pathId('Id of the action.') }),
      answers: { 200: { description: 'The action.', schema: actionSchema, example: actionExample } },
      problems: ['not-found'],
      handle: ({ principal, params }) => one(principal, params.walletId, params.actionId),
    }),
  ];
}
