import { peer } from '@hyperledger/fabric-protos';
import { DevnetError } from '@ledger-ops/devnet';
import type { Installed } from '../peer/installed.ts';
import { readPackage } from '../peer/packages.ts';
import { policyBytes } from '../policy/parse.ts';
import { adminRefusal, may, refusal } from './access.ts';
import {
  type AgreementContext,
  approve,
  commit,
  NotFoundError,
  queryApproved,
  queryDefinition,
  readiness,
  writeCommitted,
} from './agreement.ts';
import { definitionPrefix, lifecycleNamespace } from './definitions.ts';
import {
  failure,
  type SystemChaincode,
  type SystemContext,
  type SystemInvocation,
  success,
  text,
} from './types.ts';

const { lifecycle } = peer;

type Call = (argument: Uint8Array, invocation: SystemInvocation) => Uint8Array | Promise<Uint8Array>;

/**
 * Creates the system chaincode `_lifecycle`: packages of this peer, approvals of the organizations, definitions of the
 * channel.
 */
export function createLifecycle(
  { ledger, organizations }: SystemContext,
  installed: Installed,
): SystemChaincode {
  const defaultPolicy = policyBytes('/Channel/Application/Endorsement');
  const context: AgreementContext = { channel: ledger.channel, organizations, defaultPolicy };
  const ofPeer = { ...packageCalls(installed), ...approvalCalls(context) };
  const ofChannel = definitionCalls(context);

  return {
    name: lifecycleNamespace,
    simulates: true,
    async invoke(invocation) {
      const { proposal, creator, mspId } = invocation;
      const [first, argument] = proposal.input;
      const name = text(first);
      if (argument === undefined || proposal.input.length !== 2)
        return failure(
          `lifecycle scc operations require exactly two arguments but received ${proposal.input.length}`,
        );
      const forPeer = Object.hasOwn(ofPeer, name) ? ofPeer[name] : undefined;
      const call = forPeer ?? (Object.hasOwn(ofChannel, name) ? ofChannel[name] : undefined);
      if (call === undefined)
        return failure(
          `Failed to authorize invocation due to failed ACL check: Unmapped policy for _lifecycle/${name}`,
        );
      const denied =
        forPeer === undefined
          ? may(creator, 'Writers')
            ? undefined
            : refusal(ledger.channel, 'Writers')
          : adminRefusal(creator, mspId);
      if (denied !== undefined)
        return failure(`Failed to authorize invocation due to failed ACL check: ${denied}`);
      try {
        return success(await call(argument, invocation));
      } catch (error) {
        if (error instanceof NotFoundError) return failure(error.message, 404);
        const why = error instanceof Error ? error.message : String(error);
        return failure(`failed to invoke backing implementation of '${name}': ${why}`);
      }
    },
  };
}

/** Functions that administrators of the peer's organization may call, for packages of this peer. */
function packageCalls(installed: Installed): Record<string, Call> {
  return {
    InstallChaincode: async (argument) => {
      const args = lifecycle.InstallChaincodeArgs.deserializeBinary(argument);
      const found = await readPackage(args.getChaincodeInstallPackage_asU8()).catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new DevnetError(`could not parse as a chaincode install package: ${why}`, { cause });
      });
      if (!installed.add(found))
        throw new DevnetError(`chaincode already successfully installed (package ID '${found.id}')`);
      const result = new lifecycle.InstallChaincodeResult();
      result.setPackageId(found.id);
      result.setLabel(found.label);
      return result.serializeBinary();
    },
    QueryInstalledChaincode: (argument) => {
      const packageId = lifecycle.QueryInstalledChaincodeArgs.deserializeBinary(argument).getPackageId();
      const found = installed.find(packageId);
      if (found === undefined)
        throw new DevnetError(`could not find chaincode with package id '${packageId}'`);
      const result = new lifecycle.QueryInstalledChaincodeResult();
      result.setPackageId(found.id);
      result.setLabel(found.label);
      return result.serializeBinary();
    },
    GetInstalledChaincodePackage: (argument) => {
      const args = lifecycle.GetInstalledChaincodePackageArgs.deserializeBinary(argument);
      const found = installed.find(args.getPackageId());
      if (found === undefined)
        throw new DevnetError(
          `could not load cc install package: chaincode install package '${args.getPackageId()}' not found`,
        );
      const result = new lifecycle.GetInstalledChaincodePackageResult();
      result.setChaincodeInstallPackage(found.bytes);
      return result.serializeBinary();
    },
    QueryInstalledChaincodes: () => {
      const result = new lifecycle.QueryInstalledChaincodesResult();
      for (const { id, label } of installed.all()) {
        const one = new lifecycle.QueryInstalledChaincodesResult.InstalledChaincode();
        one.setPackageId(id);
        one.setLabel(label);
        result.addInstalledChaincodes(one);
      }
      return result.serializeBinary();
    },
  };
}

/** Functions that administrators of the peer's organization may call, for approvals of the organization. */
function approvalCalls(context: AgreementContext): Record<string, Call> {
  return {
    ApproveChaincodeDefinitionForMyOrg: (argument, { simulation, mspId }) => {
      const args = lifecycle.ApproveChaincodeDefinitionForMyOrgArgs.deserializeBinary(argument);
      approve(args, mspId, onChannel(simulation), context);
      return new lifecycle.ApproveChaincodeDefinitionForMyOrgResult().serializeBinary();
    },
    QueryApprovedChaincodeDefinition: (argument, { simulation, mspId }) => {
      const args = lifecycle.QueryApprovedChaincodeDefinitionArgs.deserializeBinary(argument);
      return queryApproved(args, mspId, onChannel(simulation), context).serializeBinary();
    },
  };
}

/** Functions that the channel's writers may call, for definitions of the channel. */
function definitionCalls(context: AgreementContext): Record<string, Call> {
  return {
    CheckCommitReadiness: (argument, { simulation }) => {
      const args = lifecycle.CheckCommitReadinessArgs.deserializeBinary(argument);
      const result = new lifecycle.CheckCommitReadinessResult();
      for (const [mspId, approved] of readiness(args, onChannel(simulation), context))
        result.getApprovalsMap().set(mspId, approved);
      return result.serializeBinary();
    },
    CommitChaincodeDefinition: (argument, { simulation, mspId }) => {
      const args = lifecycle.CommitChaincodeDefinitionArgs.deserializeBinary(argument);
      commit(args, mspId, onChannel(simulation), context);
      return new lifecycle.CommitChaincodeDefinitionResult().serializeBinary();
    },
    QueryChaincodeDefinition: (argument, { simulation }) => {
      const name = lifecycle.QueryChaincodeDefinitionArgs.deserializeBinary(argument).getName();
      return queryDefinition(name, onChannel(simulation), context).serializeBinary();
    },
    QueryChaincodeDefinitions: (_, { simulation }) => {
      const result = new lifecycle.QueryChaincodeDefinitionsResult();
      const end = `${definitionPrefix}\u{10ffff}`;
      for (const { value } of onChannel(simulation).range(lifecycleNamespace, definitionPrefix, end)) {
        const args = lifecycle.CommitChaincodeDefinitionArgs.deserializeBinary(value);
        const one = new lifecycle.QueryChaincodeDefinitionsResult.ChaincodeDefinition();
        one.setName(args.getName());
        writeCommitted(args, one);
        result.addChaincodeDefinitions(one);
      }
      return result.serializeBinary();
    },
  };
}

function onChannel<T>(simulation: T | undefined): T {
  if (simulation === undefined) throw new DevnetError("no application config for channel ''");
  return simulation;
}
