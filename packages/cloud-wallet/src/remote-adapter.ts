import type { Phase } from '@ledger-ops/adapter';
import { adapterError, demandInterface, faultOfEvents, readDescription } from '@ledger-ops/adapter';
import {
  checkedMessage,
  emulatedMessage,
  eventPageMessage,
  type ProblemMessage,
  paths,
  pluginMessage,
  protocolLimits,
  type RemoteOperation,
  secretParameter,
  statusesMessage,
  type statusMessage,
  submissionMessage,
  walletMessage,
} from '@ledger-ops/adapter/cloud-wallet';
import type { z } from 'zod';
import type { CloudWalletClient } from './client.ts';
import { fromMessage } from './problem.ts';
import type { RemoteAdapterDefinition, RemoteLedger, RemoteStatus } from './types.ts';

type StatusDetails = z.infer<typeof statusMessage>['details'];

/**
 * Reads a plugin's description and returns its adapter. A description that cannot be used counts as a failed call.
 *
 * @param accept checks the adapter further; it throws an AdapterError to refuse it
 * @throws AdapterError `adapter-fault` if it is not a plugin, implements another version of the interface, or
 * has an invalid description; `unavailable` or `timeout` if it does not respond; or the error of `accept`
 */
export async function remoteAdapter(
  client: CloudWalletClient,
  accept: (adapter: RemoteAdapterDefinition) => void = () => {},
): Promise<RemoteAdapterDefinition> {
  return await client.call({
    ...{ method: 'GET', path: paths.plugin, phase: 'open' },
    answer: pluginMessage.transform((said) => {
      const adapter = definitionOf(client, said);
      accept(adapter);
      return adapter;
    }),
  });
}

function definitionOf(
  client: CloudWalletClient,
  { ledgers, description, ...said }: z.infer<typeof pluginMessage>,
): RemoteAdapterDefinition {
  demandInterface(client.plugin, said.interfaceVersion);
  return Object.freeze({
    custody: 'remote',
    ...said,
    ...(ledgers === undefined ? {} : { ledgers }),
    ...(description === undefined
      ? {}
      : { description: readDescription(client.plugin, said.technology, description) }),
    open: (ledgerId: string) => openLedger(client, ledgerId, said.capabilities),
  });
}

function problemMember(
  plugin: string,
  problem: ProblemMessage | null | undefined,
  phase: Phase,
): { problem?: ReturnType<typeof fromMessage> } {
  return problem === null || problem === undefined ? {} : { problem: fromMessage(plugin, problem, phase) };
}

/** Returns the members that the plugin reports. Null and absent members are unknown. */
function detailMembers(details: StatusDetails): Partial<RemoteStatus> {
  const { locator, contractAddress, blockHeight, blockTime, fee, transactions } = details ?? {};
  return {
    ...(locator == null ? {} : { locator }),
    ...(contractAddress == null ? {} : { contractAddress }),
    ...(blockHeight == null ? {} : { blockHeight }),
    ...(blockTime == null ? {} : { blockTime }),
    ...(fee == null ? {} : { fee: BigInt(fee) }),
    ...(transactions == null ? {} : { transactions }),
  };
}

function operationOf({ glo, contractInterface, contractSource }: RemoteOperation) {
  return { glo, contractInterface, contractSource };
}

function openLedger(
  client: CloudWalletClient,
  ledgerId: string,
  capabilities: RemoteAdapterDefinition['capabilities'],
): RemoteLedger {
  const demand = (capability: 'checks' | 'emulations' | 'contractEvents', phase: Phase) => {
    if (capabilities[capability] === true) return;
    const detail = `The plugin ${client.plugin} does not support ${capability}.`;
    throw adapterError('unsupported-operation', detail, { phase });
  };

  const statusOf = async (txIds: readonly string[]): Promise<RemoteStatus[]> => {
    const query = txIds.map((txId) => ['txId', txId] as const);
    const items = await client.call({
      method: 'GET',
      path: paths.transactions,
      query,
      phase: 'lookup',
      answer: statusesMessage,
    });
    if (items.length !== txIds.length) {
      const detail = `The plugin ${client.plugin} returned ${items.length} statuses for ${txIds.length} transactions.`;
      throw adapterError('adapter-fault', detail, { phase: 'lookup' });
    }
    return items.map(({ details, problem, status, requests }, index) => {
      const unknown = status === 'FAILED' && problem?.status === 404;
      return {
        txId: txIds[index] ?? '',
        status: unknown ? 'UNKNOWN' : status,
        ...detailMembers(details),
        ...(requests === undefined ? {} : { requests }),
        ...problemMember(client.plugin, problem, 'confirm'),
      };
    });
  };

  return {
    async createWallet({ walletId, secret, parameters }) {
      const { walletAddress } = await client.call({
        method: 'POST',
        path: paths.wallets,
        body: { ledgerId, walletId, pluginParameters: { ...parameters, [secretParameter]: secret } },
        secrets: [secret],
        phase: 'wallet',
        answer: walletMessage,
      });
      return { address: walletAddress };
    },
    async send({ actionId, walletId, secret, others, ...operation }) {
      const { txId, status, problem } = await client.call({
        method: 'POST',
        path: paths.transactions,
        body: {
          actionId,
          wallet: walletId,
          pluginParams: { [secretParameter]: secret },
          wallets: others?.map((other) => ({
            wallet: other.walletId,
            pluginParams: { [secretParameter]: other.secret },
          })),
          ...operationOf(operation),
        },
        secrets: [secret, ...(others ?? []).map((other) => other.secret)],
        phase: 'submit',
        answer: submissionMessage,
      });
      return { txId, status, ...problemMember(client.plugin, problem, 'submit') };
    },
    async status(txIds) {
      const all: RemoteStatus[] = [];
      for (let from = 0; from < txIds.length; from += protocolLimits.txIds) {
        all.push(...(await statusOf(txIds.slice(from, from + protocolLimits.txIds))));
      }
      return all;
    },
    async check({ walletId, others, ...operation }) {
      demand('checks', 'check');
      const {
        cost,
        costs,
        recipients = [],
      } = await client.call({
        method: 'POST',
        path: paths.checks,
        body: { ledgerId, wallet: walletId, wallets: others, ...operationOf(operation) },
        phase: 'check',
        answer: checkedMessage,
      });
      return {
        recipients,
        ...(typeof cost === 'string' ? { cost: BigInt(cost) } : {}),
        ...(costs === undefined
          ? {}
          : { costs: costs.map(({ address, amount }) => ({ address, amount: BigInt(amount) })) }),
      };
    },
    async emulate({ walletId, systemContracts, ...operation }) {
      demand('emulations', 'emulate');
      const { result, fee, figures } = await client.call({
        method: 'POST',
        path: paths.emulations,
        body: { ledgerId, wallet: walletId, systemContracts, ...operationOf(operation) },
        phase: 'emulate',
        answer: emulatedMessage,
      });
      return {
        result,
        ...(typeof fee === 'string' ? { fee: BigInt(fee) } : {}),
        ...(figures === null || figures === undefined ? {} : { figures }),
      };
    },
    async contractEvents({ contract, after, limit }) {
      demand('contractEvents', 'lookup');
      const asked = { after, limit: Math.min(limit, protocolLimits.events) };
      const { requests, ...page } = await client.call({
        method: 'POST',
        path: paths.events,
        body: {
          ledgerId,
          contractAddress: contract.address,
          contractInterface: contract.interface,
          ...asked,
        },
        phase: 'lookup',
        answer: eventPageMessage,
      });
      const faulty = faultOfEvents(asked, page);
      if (faulty !== undefined) {
        const detail = `The plugin ${client.plugin} answered ${paths.events} with ${faulty}.`;
        throw adapterError('adapter-fault', detail, { phase: 'lookup' });
      }
      return { ...page, ...(requests === undefined ? {} : { requests }) };
    },
  };
}
