import { z } from '@hono/zod-openapi';
import { invalidRequest, Problem, type ProblemDocument, pagingParameters, Secret } from '@ledger-ops/base';
import type { Actions, ActionView, CreateWalletRequest, Runtime, WalletView } from '@ledger-ops/runtime';
import { created, noContent, ok } from '../http/answer.ts';
import { pageKind } from '../http/listing.ts';
import { problemSchema } from '../http/problems/problem-schema.ts';
import { type BodySpec, defineRoute, jsonBody, type Route } from '../http/route.ts';
import { pathId, text } from '../http/schemas.ts';
import { rfc3339 } from '../present/dates.ts';
import { isFinal } from './events/follow.ts';
import { ledgerProblems } from './ledger-problems.ts';
import { transactionBody } from './legacy/transaction-body.ts';
import { filledWith, passwordMember } from './operations/send-body.ts';
import { sendPermission } from './operations/send-permission.ts';
import { sendProblems } from './operations/send-problems.ts';

export interface CloudWalletDeps {
  readonly runtime: Pick<Runtime, 'actions' | 'wallets'>;
  /** How long sendTransaction waits for the ledger's transaction id, in milliseconds. */
  readonly transactionWait: number;
  /** Minimum length of a wallet password, in characters. */
  readonly passwordMinimum: number;
}

const service = 'cloud-wallet';
const wallet = z.object({ walletId: pathId('Id of the wallet.') });

const createdSchema = z.object({ walletAddress: z.string() }).openapi('WalletCreated');
const walletSchema = z
  .object({
    walletId: z.string(),
    walletAddress: z.string(),
    ledgerId: z.string(),
    keyType: z
      .string()
      .openapi({ description: 'secp256k1, p256, ed25519, or remote if the plugin keeps the key.' }),
    exclusive: z.boolean().openapi({
      description:
        'Only this installation signs with the wallet’s key. If the wallet has an unknown transaction (on the ledger, but not in the service’s database), it is suspended before it signs another transaction.',
    }),
    createdAt: z.string().openapi({ format: 'date-time' }),
  })
  .openapi('Wallet');
const walletPage = pageKind('WalletPage', walletSchema, 'A page of wallets.');
const walletWithBalanceSchema = z
  .object({
    ...walletSchema.shape,
    balance: z.string().nullable().openapi({
      description: 'Native currency in the smallest unit, decimal text; null if the ledger has none.',
    }),
    aliases: z.array(z.string()).openapi({
      description: 'Other names of the account on its ledger, such as the x509:: id of a Fabric identity.',
    }),
    certificate: z
      .object({ pem: z.string(), expiresAt: z.string().openapi({ format: 'date-time' }) })
      .nullable()
      .openapi({ description: 'The account’s certificate; null if it has none.' }),
  })
  .openapi('WalletWithBalance');

const statuses = z.enum(['PROCESSING', 'SUCCEEDED', 'FAILED']);
const sentSchema = z
  .object({ problem: z.union([problemSchema, z.null()]), status: statuses, txId: z.string() })
  .openapi('TransactionSent');
const statusSchema = z
  .object({
    details: z.object({ contractAddress: z.string().nullable(), locator: z.string().nullable() }),
    problem: z.union([problemSchema, z.null()]),
    status: statuses,
    txId: z.string().openapi({ description: 'The id from the request.' }),
  })
  .openapi('TransactionStatus');

/** Cloud wallet (specification, section 4.5), with additions: list, balance, export, password. */
export function cloudWalletRoutes(deps: CloudWalletDeps): Route[] {
  return [...walletRoutes(deps), ...exclusiveRoutes(deps), ...secretRoutes(deps), ...transactionRoutes(deps)];
}

function walletRoutes({ runtime: { wallets }, passwordMinimum }: CloudWalletDeps): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/cloud-wallet/wallets',
      operationId: 'createWallet',
      contacts: ['ledger'],
      summary: 'Create or import a wallet',
      description:
        'pluginParameters.walletPassword is required. Ethereum: without further parameters, a new key is generated; privateKey, or keystore with keystorePassword, imports a key. Hyperledger Fabric: enrollmentId is registered and enrolled; with enrollmentSecret, it is only enrolled. certificate with privateKey (PEM) imports an identity. affiliation and attributes (a JSON object with string values) apply to a registered identity, if the ledger allows them (ca_affiliations, ca_attributes; default: none). Without parameters, the wallet id is registered. After an interrupted enrollment, repeating the request continues with the same key.',
      service,
      permission: { needs: 'wallet:create', on: 'project' },
      body: createWalletBody(passwordMinimum),
      creates: { present: walletCreatedBody },
      answers: { 201: { description: 'The wallet.', schema: createdSchema } },
      problems: ['already-exists', 'conflict', 'not-found', 'certificate-invalid', ...ledgerProblems],
      handle: async ({ principal, body, claim }) =>
        created(walletCreatedBody(await wallets.create(principal, body, claim))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/cloud-wallet/wallets',
      operationId: 'listWallets',
      summary: 'List wallets',
      service,
      permission: { needs: 'wallet:read', on: 'record' },
      query: z.strictObject({
        ledgerId: text(64).optional(),
        ...pagingParameters(['walletId', 'walletAddress', 'ledgerId', 'keyType', 'exclusive', 'createdAt']),
      }),
      answers: walletPage.answers,
      async handle({ principal, query }) {
        const { ledgerId, ...paging } = query;
        const filter = ledgerId === undefined ? {} : { ledgerId };
        return walletPage.answer(query, await wallets.list(principal, { ...filter, ...paging }), walletBody);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/cloud-wallet/wallets/{walletId}',
      operationId: 'getWallet',
      contacts: ['ledger'],
      summary: 'Get a wallet with its balance',
      service,
      permission: { needs: 'wallet:read', on: 'record' },
      params: wallet,
      answers: { 200: { description: 'The wallet.', schema: walletWithBalanceSchema } },
      problems: ['not-found', ...ledgerProblems],
      async handle({ principal, params }) {
        const view = await wallets.get(principal, params.walletId);
        const { balance, aliases, certificate } = view;
        return ok({
          ...walletBody(view),
          balance: balance?.toString() ?? null,
          aliases,
          certificate:
            certificate === null ? null : { pem: certificate.pem, expiresAt: rfc3339(certificate.expiresAt) },
        });
      },
    }),
  ];
}

const unknownSchema = z
  .object({
    id: z
      .string()
      .openapi({ description: 'Id of the unknown transaction, as in requests to `releaseAction`.' }),
    sequence: z.int().nullable().openapi({
      description: 'Nonce of the unknown transaction. Null if the ledger’s transactions have no nonces.',
    }),
    txId: z.string().nullable().openapi({
      description:
        'Id of the transaction on the ledger. Null if the ledger does not report which transaction used the nonce.',
    }),
    foundAt: z.string().openapi({ format: 'date-time' }),
    notCompared: z.string().nullable().openapi({
      description:
        'Why the transaction’s effect is unknown; null if it is known. A transaction with an unknown effect matches every unsigned action of the wallet.',
    }),
    matches: z.array(z.string()).openapi({
      description:
        'Ids of unsigned actions that the unknown transaction may have executed: those with the same recipient, amount and data, regardless of when they were accepted. At most 100. The wallet cannot be resumed until this list is empty.',
    }),
    released: z.array(z.string()).openapi({
      description: 'Ids of matching actions that were released (`releaseAction`). At most 100.',
    }),
  })
  .openapi('UnknownTransaction');

/**
 * Routes that set whether only this installation signs with a wallet's key, and that list the wallet's
 * unknown transactions.
 */
function exclusiveRoutes({ runtime: { actions, wallets } }: CloudWalletDeps): Route[] {
  return [
    defineRoute({
      method: 'put',
      path: '/v1/cloud-wallet/wallets/{walletId}/exclusive',
      operationId: 'setWalletExclusive',
      contacts: ['ledger'],
      summary: 'Set whether only this installation signs with a wallet’s key',
      description:
        'The wallet’s transactions that are on the ledger at this moment count as known. The response is 409 if `exclusive` is true and the wallet has unknown transactions. Set `exclusive` to false before another program uses the key.',
      service,
      permission: { needs: 'wallet:update', on: 'record' },
      params: wallet,
      body: jsonBody(z.strictObject({ exclusive: z.boolean() }).openapi('WalletExclusiveBody'), {
        exclusive: true,
      }),
      answers: { 200: { description: 'The wallet.', schema: walletSchema } },
      problems: ['not-found', 'conflict', 'unsupported-operation', ...ledgerProblems],
      handle: async ({ principal, params, body }) =>
        ok(walletBody(await wallets.setExclusive(principal, params.walletId, body.exclusive))),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/cloud-wallet/wallets/{walletId}/unknown-transactions',
      operationId: 'listUnknownTransactions',
      contacts: ['ledger'],
      summary: 'List a wallet’s unknown transactions (on the ledger, but not in the service’s database)',
      description:
        'Lists the transactions that caused the wallet’s suspension, each with the pending actions that it may have executed. Mark each of these actions as executed (`markExecuted`), cancel it, or release it (`releaseAction`); then resume the wallet. Returns at most 100 transactions, those with matching actions first. If the nodes keep no old state, each request searches blocks for a few seconds: repeat the request while `txId` is null.',
      service,
      permission: { needs: 'wallet:read', on: 'record' },
      params: wallet,
      answers: {
        200: {
          description: 'The unknown transactions.',
          schema: z
            .object({
              transactions: z.array(unknownSchema),
              notCompared: z.string().nullable().openapi({
                description:
                  'Why the wallet may have more unknown transactions, for example because a node has no history. Null if the wallet was compared completely with the ledger, or if it is not exclusive.',
              }),
            })
            .openapi('UnknownTransactions'),
        },
      },
      problems: ['not-found'],
      async handle({ principal, params }) {
        const found = await actions.unknownTransactions(principal, params.walletId);
        return ok({
          transactions: found.map(({ foundAt, ...one }) => ({ ...one, foundAt: rfc3339(foundAt) })),
          notCompared: await actions.notCompared(principal, params.walletId),
        });
      },
    }),
  ];
}

function secretRoutes({ runtime: { wallets }, passwordMinimum }: CloudWalletDeps): Route[] {
  const exportSchema = z.strictObject({ walletPassword: passwordMember }).openapi('ExportWalletBody');
  const passwordSchema = z
    .strictObject({ walletPassword: passwordMember, newPassword: z.string().min(passwordMinimum).max(1024) })
    .openapi('WalletPasswordBody');
  return [
    defineRoute({
      method: 'post',
      path: '/v1/cloud-wallet/wallets/{walletId}/export',
      operationId: 'exportWallet',
      summary: 'Export a wallet’s key',
      service,
      permission: { needs: 'wallet:export', on: 'record' },
      params: wallet,
      body: jsonBody(exportSchema, { walletPassword: 'correct horse battery staple' }),
      answers: {
        200: {
          description:
            'A secp256k1 key is exported as a V3 keystore, a p256 key as PEM, both encrypted with the wallet password. An ed25519 key is exported unencrypted: the private and public key as a JSON array of 64 numbers.',
          schema: z
            .object({
              format: z.enum(['keystore-v3', 'pem', 'ed25519-pair']),
              document: z.string(),
              base58: z.string().optional().openapi({ description: 'The key pair in base58, for ed25519.' }),
              certificate: z.string().optional().openapi({ description: 'The certificate of a PEM key.' }),
            })
            .openapi('WalletExport'),
        },
      },
      problems: ['not-found', 'wrong-wallet-password', 'unsupported-operation'],
      handle: async ({ principal, params, body }) =>
        ok(await wallets.export(principal, params.walletId, new Secret(body.walletPassword))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/cloud-wallet/wallets/{walletId}/password',
      operationId: 'changeWalletPassword',
      summary: 'Change a wallet password',
      service,
      permission: { needs: 'wallet:update', on: 'record' },
      params: wallet,
      body: jsonBody(passwordSchema, {
        walletPassword: 'correct horse battery staple',
        newPassword: 'another horse battery staple',
      }),
      answers: { 204: { description: 'Changed. Accepted actions continue.' } },
      problems: ['not-found', 'wrong-wallet-password'],
      async handle({ principal, params, body }) {
        await wallets.changePassword(
          principal,
          params.walletId,
          new Secret(body.walletPassword),
          new Secret(body.newPassword),
        );
        return noContent;
      },
    }),
  ];
}

function transactionRoutes({ runtime: { actions }, transactionWait }: CloudWalletDeps): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/cloud-wallet/transactions',
      operationId: 'sendTransaction',
      contacts: ['ledger'],
      summary: 'Send a transaction under a chosen action id',
      description:
        'A request with the same actionId and body returns the same transaction; with another body it gets 409. txId is the ledger’s id if it is known within a short wait, otherwise the action id; getTransactionsStatus accepts both.',
      service,
      permission: sendPermission,
      body: transactionBody,
      answers: { 200: { description: 'The transaction.', schema: sentSchema } },
      problems: ['already-exists', ...sendProblems],
      pointers: ({ body }) => body.places,
      async handle({ principal, body: { request }, claimFor, replay, replayRefused }) {
        const { actionId } = request;
        const claim = await claimFor(`action:${actionId}`);
        const before = await replay(claim).catch(differentBody);
        if (before === null) {
          await actions.send(principal, request, claim).catch(async (error: unknown) => {
            if ((await replayRefused(claim).catch(differentBody)) === null) throw error;
          });
        }
        const view = await settled(actions, () => actions.get(principal, actionId), transactionWait).catch(
          unseen,
        );
        if (view === null) return ok({ problem: null, status: 'PROCESSING', txId: actionId });
        return ok({ problem: view.problem, status: transactionStatus(view), txId: view.locator ?? actionId });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/cloud-wallet/transactions',
      operationId: 'getTransactionsStatus',
      summary: 'Status of transactions',
      description:
        'One item per txId, in the order of the request; an unknown txId is FAILED with a 404 problem.',
      service,
      permission: { needs: 'wallet:read', on: 'record' },
      query: z.strictObject({
        txId: z.array(text(256)).min(1).max(1_000).openapi({ description: 'Transaction or action ids.' }),
      }),
      answers: { 200: { description: 'The statuses.', schema: z.array(statusSchema) } },
      async handle({ principal, query }) {
        const views = await actions.byTransaction(principal, query.txId);
        return ok(query.txId.map((txId, index) => statusBody(txId, views[index] ?? null)));
      },
    }),
  ];
}

/**
 * Returns null for an action that the caller cannot read. A caller that may only send from a wallet learns
 * only that the action was accepted.
 */
function unseen(error: unknown): null {
  if (error instanceof Problem && error.problem === 'not-found') return null;
  throw error;
}

/** Converts the problem of reusing an id with a different body to `already-exists`. */
function differentBody(error: unknown): never {
  if (error instanceof Problem && error.problem === 'idempotency-key-reused') {
    const detail = 'already exists, with a different body';
    throw new Problem('already-exists', `/actionId ${detail}.`, {
      errors: [{ pointer: '/actionId', detail }],
    });
  }
  throw error;
}

/** Waits for a limited time until an action is final. */
async function settled(
  actions: Pick<Actions, 'onChange'>,
  get: () => Promise<ActionView>,
  wait: number,
): Promise<ActionView> {
  let change = Promise.withResolvers<void>();
  let uid: string | undefined;
  const stop = actions.onChange((uids) => {
    if (uid === undefined || uids.includes(uid)) change.resolve();
  });
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, wait);
  let isOver = false;
  void timeout.promise.then(() => {
    isOver = true;
  });
  try {
    for (;;) {
      const view = await get();
      uid = view.uid;
      if (isFinal(view) || isOver) return view;
      await Promise.race([change.promise, timeout.promise]);
      change = Promise.withResolvers<void>();
    }
  } finally {
    stop();
    clearTimeout(timer);
  }
}

function transactionStatus(view: ActionView): z.output<typeof statuses> {
  return view.status === 'PENDING' ? 'PROCESSING' : view.status;
}

function statusBody(txId: string, view: ActionView | null) {
  if (view !== null) {
    const { contractAddress, locator, problem } = view;
    return { details: { contractAddress, locator }, problem, status: transactionStatus(view), txId };
  }
  const problem: ProblemDocument = new Problem(
    'not-found',
    'The transaction does not exist or is not visible to you.',
  ).toDocument();
  return { details: { contractAddress: null, locator: null }, problem, status: 'FAILED', txId };
}

function walletBody(view: WalletView) {
  const { walletId, walletAddress, ledgerId, keyType, exclusive, createdAt } = view;
  return { walletId, walletAddress, ledgerId, keyType, exclusive, createdAt: rfc3339(createdAt) };
}

/** Response body for a wallet that was just created, or that was stored with an Idempotency-Key. */
function walletCreatedBody(stored: unknown) {
  return createdSchema.parse(stored);
}

function createWalletBody(passwordMinimum: number): BodySpec<CreateWalletRequest> {
  const schema = z
    .strictObject({
      ledgerId: text(64),
      walletId: z
        .string()
        .max(64, { abort: true })
        .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores'),
      pluginParameters: z.record(z.string().max(64), z.string().max(65_536)).openapi({
        type: 'object',
        properties: { walletPassword: { type: 'string', minLength: passwordMinimum, maxLength: 1_024 } },
        required: ['walletPassword'],
        additionalProperties: { type: 'string', maxLength: 65_536 },
        description: 'walletPassword, and parameters of the ledger’s plugin.',
      }),
      exclusive: z.boolean().optional().openapi({
        description:
          'Whether only this installation signs with the key. Default: true for a new key, false for an imported one. It can be changed later (`setWalletExclusive`).',
      }),
    })
    .openapi('CreateWalletBody');
  return {
    type: 'application/json',
    schema,
    example: {
      walletId: 'alice',
      ledgerId: 'dev-ethereum',
      pluginParameters: { walletPassword: 'correct horse battery staple' },
    },
    read(input) {
      const { ledgerId, walletId, pluginParameters, exclusive } = jsonBody(schema).read(
        // If `pluginParameters` is missing, the issues name its required members.
        filledWith({ pluginParameters: {} }, input),
      );
      const pointer = '/pluginParameters/walletPassword';
      const password = pluginParameters.walletPassword;
      if (password === undefined) throw invalidRequest([{ pointer, detail: 'is required' }]);
      parsePassword(password, pointer, passwordMinimum);
      const secrets = Object.entries(pluginParameters).map(([name, value]): [string, Secret] => [
        name,
        new Secret(value),
      ]);
      return {
        ...{ ledgerId, walletId, pluginParameters: new Map(secrets) },
        ...(exclusive === undefined ? {} : { exclusive }),
      };
    },
  };
}

function parsePassword(password: string, pointer: string, minimum: number): void {
  if ([...password].length < minimum) {
    throw invalidRequest([{ pointer, detail: `must have at least ${minimum} characters` }]);
  }
  if (password.length > 1024)
    throw invalidRequest([{ pointer, detail: 'must have at most 1024 characters' }]);
}
