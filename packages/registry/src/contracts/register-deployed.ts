import { demandContractStorage, recordActivity } from '@ledger-ops/auth';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { readSpecification, readTemplate } from '../templates/templates.ts';
import type { ContractRecord, DeployedContract, NewContract } from '../types.ts';
import { writeProperties } from './contract-properties.ts';
import { addContract, type ContractContext, ensureGroup } from './contracts.ts';

/**
 * Registers the contract that an action deployed from a template, in the template's group, which is created if needed.
 * If another contract took the id after the action was accepted, the action's id is used.
 *
 * A failure must not roll back the action's outcome. If a contract cannot be registered, the
 * function therefore returns the reason as a problem, and does not run a statement that would fail
 * for that reason.
 */
export async function registerDeployedContract(
  tx: Tx,
  deployed: DeployedContract,
  context: ContractContext,
): Promise<ProblemDocument | null> {
  try {
    await register(tx, deployed, context);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.toDocument();
    throw error;
  }
}

async function register(tx: Tx, deployed: DeployedContract, context: ContractContext): Promise<void> {
  const { actionId, projectUid, templateId, tag, ledgerUid, nativeReference, deployedBy } = deployed;
  const template = await readTemplate(tx, projectUid, templateId);
  const specification = template === null ? null : await readSpecification(tx, template.uid, tag);
  if (template === null || specification === null) {
    throw new Problem('not-found', `The template ${templateId} has no version ${tag}.`);
  }
  // The storage limit is checked before the first write, because returning the problem does not roll back the
  // transaction.
  await demandContractStorage(tx, projectUid, 2 * Buffer.byteLength(specification.interface));
  const asResource = { type: 'smart-contract-instance', parentUid: projectUid } as const;
  const isTaken = await context.auth.isTaken(tx, { ...asResource, resourceId: deployed.contractId });
  const contractId = isTaken ? actionId : deployed.contractId;
  const group = { groupId: `template-${template.uid}`, projectUid, name: template.name };
  const input: NewContract = {
    contractId,
    groupId: await ensureGroup(tx, group, context),
    name: deployed.name,
    interface: specification.interface,
    parsedInterface: specification.interface,
    ledgerUid,
    nativeReference,
    specificationUid: specification.uid,
    ...((await exists(tx, deployedBy.serviceId)) ? { owner: deployedBy.serviceId } : {}),
  };
  const made: ContractRecord = await addContract(tx, input, context);
  await writeProperties(tx, made.uid, new Map([['address', nativeReference]]));
  await recordActivity(
    tx,
    deployedBy,
    {
      action: 'create',
      service: 'older-contract-registry',
      resourceUid: made.uid,
      resourceId: contractId,
      resourceType: 'smart-contract-instance',
      scope: projectUid,
      targetObject: made.name,
      resourceName: made.name,
    },
    context.now(),
  );
}

async function exists(tx: Tx, serviceId: string): Promise<boolean> {
  const { identity } = tx.t;
  const found = await tx.db
    .select({ serviceId: identity.serviceId })
    .from(identity)
    .where(eq(identity.serviceId, serviceId));
  return found.length > 0;
}
