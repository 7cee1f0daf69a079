import { z } from '@hono/zod-openapi';
import type { ContractMethod } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import type { ContractRecord, ContractRegistry } from '@ledger-ops/registry';
import type { Actions } from '@ledger-ops/runtime';
import { created, ok } from '../../http/answer.ts';
import { withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId } from '../../http/schemas.ts';
import { acceptedBody, acceptedExample, acceptedSchema } from '../../present/action.ts';
import { contractDocument } from '../../present/contract-document.ts';
import { ledgerProblems } from '../ledger-problems.ts';
import { sendProblems } from '../operations/send-problems.ts';
import type { ContractArguments } from './contract-arguments.ts';
import { methodCallSchema, methodGlo, readMethodCall, sendRequestOf } from './method-call.ts';

export interface ContractMethodRoutesDeps {
  readonly contracts: ContractRegistry;
  readonly methods: Pick<ContractArguments, 'interfaceOf' | 'accountForm'>;
  readonly actions: Pick<Actions, 'send' | 'emulate'>;
  readonly baseUrl: string;
}

const service = 'contract-registry';
const instance = '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}';
const contractPath = z.object({
  contractGroupId: pathId('Id of the group.'),
  smartContractId: pathId('Id of the contract.'),
});

/** An argument or result, with its type as the ledger names it. */
export const contractParameterSchema = z
  .object({ name: z.string(), type: z.string() })
  .openapi('ContractMethodParameter');
const methodSchema = z
  .object({
    name: z.string(),
    signature: z
      .string()
      .openapi({ description: 'Unique in the contract. Calls can use the signature or only the name.' }),
    view: z
      .boolean()
      .openapi({ description: 'A read-only method: it returns a value and creates no action.' }),
    inputs: z.array(contractParameterSchema),
    outputs: z.array(contractParameterSchema),
  })
  .openapi('ContractMethod');

/** Operations for the methods of registered contracts. */
export function contractMethodRoutes(deps: ContractMethodRoutesDeps): Route[] {
  const { contracts, methods, actions, baseUrl } = deps;
  const find = async (
    principal: Principal,
    { contractGroupId, smartContractId }: z.infer<typeof contractPath>,
  ) => await contracts.contract(principal, contractGroupId, smartContractId);
  return [
    defineRoute({
      method: 'get',
      path: `${instance}/openapi.json`,
      operationId: 'getContractDocument',
      contacts: ['ledger'],
      summary: 'Get the methods of a contract as an OpenAPI document',
      description: 'Each method is an operation with typed arguments, for client generators.',
      service,
      permission: { needs: 'smart-contract-instance:read', on: 'record' },
      params: contractPath,
      answers: {
        200: { description: 'An OpenAPI 3.1 document.', schema: z.record(z.string(), z.unknown()) },
      },
      problems: ['not-found', 'unsupported-operation', ...ledgerProblems],
      async handle({ principal, params }) {
        const contract = await find(principal, params);
        const [{ methods: read }, account] = await Promise.all([
          methods.interfaceOf(contract),
          methods.accountForm(contract),
        ]);
        return ok(contractDocument(contract, read, baseUrl, account));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${instance}/methods`,
      operationId: 'listContractMethods',
      contacts: ['ledger'],
      summary: 'List the methods and event names of a contract',
      description: 'The ledger’s plugin reads them from the interface; types have the ledger’s names.',
      service,
      permission: { needs: 'smart-contract-instance:read', on: 'record' },
      params: contractPath,
      answers: {
        200: {
          description: 'The methods, in the order of the interface.',
          schema: z
            .object({
              methods: z.array(methodSchema),
              events: z.array(z.string()).nullable().openapi({
                description:
                  'Names of all events, for subscriptions; null if the interface does not list them.',
              }),
            })
            .openapi('ContractMethods'),
        },
      },
      problems: ['not-found', ...ledgerProblems],
      async handle({ principal, params }) {
        const { methods: read, eventNames = null } = await methods.interfaceOf(await find(principal, params));
        return ok({ methods: read, events: eventNames });
      },
    }),
    defineRoute({
      method: 'post',
      path: `${instance}/methods/{method}`,
      operationId: 'callContractMethod',
      contacts: ['ledger'],
      summary: 'Call a method of a contract',
      description:
        'A read-only method returns its value. Any other method creates an action like `send`, and needs `walletId` and `walletPassword`. Name a method by its name or, if several share it, by its signature: `transfer(address,uint256)`.',
      service,
      permission: {
        needs: 'smart-contract-instance:read',
        on: 'record',
        also: ['ledger:read', 'wallet:read', 'wallet:transact', 'ledger:inspect'],
      },
      params: contractPath.extend({ method: pathId('Name or signature of the method.') }),
      body: jsonBody(
        methodCallSchema,
        {
          arguments: { to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', amount: '1' },
          walletId: 'alice',
          walletPassword: 'correct horse battery staple',
        },
        'contract',
      ),
      creates: { present: (stored) => stored },
      answers: {
        200: {
          description: 'The method’s current result.',
          schema: z
            .object({
              result: z.unknown().openapi({
                description:
                  'The decoded result, with quantities as decimal text; null if the contract returned data that does not match its interface.',
              }),
              returned: z.string().optional().openapi({
                description:
                  'Present if the result could not be decoded: the data that the contract returned.',
              }),
              warnings: z
                .array(z.string())
                .optional()
                .openapi({ description: 'Present with `returned`: why the result could not be decoded.' }),
            })
            .openapi('ContractMethodResult'),
        },
        201: {
          description: 'Accepted: the action survives a crash and is executed exactly once.',
          schema: acceptedSchema,
          example: acceptedExample,
        },
      },
      problems: sendProblems,
      async handle({ principal, params, body, claim }) {
        const contract = await find(principal, params);
        const method = chooseMethod((await methods.interfaceOf(contract)).methods, params.method);
        const call = readMethodCall(body, method);
        const { glo, pointers } = methodGlo(contract, method, call);
        return await withPointers(pointers, async () => {
          if (!method.view) {
            const accepted = await actions.send(principal, sendRequestOf(body, glo), claim);
            return created(acceptedBody(accepted));
          }
          const { result, figures, warnings } = await actions.emulate(principal, {
            glo,
            ...emulationOf(body, contract),
            pointers: {
              glo: '/glo',
              walletId: '/walletId',
              ledgerId: '/walletId',
              walletPassword: '/walletPassword',
            },
          });
          const { returned } = figures;
          return ok(typeof returned === 'string' ? { result, returned, warnings } : { result });
        });
      },
    }),
  ];
}

/** Creates the request to emulate a method; with a wallet id, the wallet is the caller. */
function emulationOf(
  { walletId, walletPassword }: z.infer<typeof methodCallSchema>,
  { ledgerId }: ContractRecord,
) {
  return {
    ...(walletId === undefined ? { ledgerId } : { walletId }),
    ...(walletPassword === undefined ? {} : { walletPassword: new Secret(walletPassword) }),
  };
}

/** @throws Problem `not-found`, `invalid-request` */
function chooseMethod(methods: readonly ContractMethod[], wanted: string): ContractMethod {
  const exact = methods.find(({ signature }) => signature === wanted);
  if (exact !== undefined) return exact;
  const named = methods.filter(({ name }) => name === wanted);
  const [only] = named;
  if (only !== undefined && named.length === 1) return only;
  if (only === undefined) throw new Problem('not-found', 'The contract has no such method.');
  const signatures = named.map(({ signature }) => signature).join(', ');
  const detail = `several methods have this name; use one of the signatures ${signatures}`;
  throw new Problem('invalid-request', `method: ${detail}.`, { errors: [{ pointer: 'method', detail }] });
}
