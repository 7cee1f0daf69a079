import type { Checked, Phase, ResolvedOperation } from '@ledger-ops/adapter';
import type { FabricContent } from '@ledger-ops/glo-core';
import { isChaincodeName } from '../identity/address.ts';
import { invalid } from '../invalid.ts';
import { planToJson } from '../plan.ts';
import { encodePolicy } from './endorsement-policy.ts';
import { readPackage } from './package.ts';
import { readTransient } from './transient.ts';

type Deploy = Extract<ResolvedOperation, { type: 'contract_deploy' }>;

/**
 * Creates the plan of a deployment, with its package id. Name and version come from meta. If meta lacks them,
 * they come from the package's label (`goods_1.0`: name goods, version 1.0).
 *
 * @throws AdapterError `invalid-argument`
 */
export async function planDeployment(
  { source, args, data, value }: Deploy,
  native: FabricContent,
  channel: string,
  phase: Phase,
): Promise<Checked> {
  if (args.length > 0) {
    throw invalid(
      phase,
      '/args',
      'is not allowed: chaincode has no constructor; call one of its functions after the deployment',
    );
  }
  if (value > 0n || data !== undefined || source === undefined) {
    throw invalid(phase, '/contract_source', 'must name the template that contains the chaincode package');
  }
  if (readTransient(native.transient) !== undefined) {
    throw invalid(phase, '/native/transient', 'is not allowed for a deployment');
  }
  const { bytes, label, packageId } = await readPackage(source.code, phase);
  const [, labelName = label, labelVersion] = /^(.+)_([A-Za-z0-9.+-]+)$/.exec(label) ?? [];
  const name = native.chaincode ?? native.name ?? labelName;
  const version = native.version ?? labelVersion ?? '1.0';
  if (!isChaincodeName(name))
    throw invalid(phase, '/native/name', 'may contain only letters and digits, separated by single - or _');
  if (!/^[A-Za-z0-9_.+-]{1,128}$/.test(version)) {
    throw invalid(
      phase,
      '/native/version',
      'may contain only letters, digits and _ . + -, at most 128 characters',
    );
  }
  encodePolicy(native.endorsementPolicy, phase);
  const plan = planToJson({
    step: 'install',
    channel,
    name,
    version,
    label,
    packageId,
    policy: native.endorsementPolicy,
    package: bytes.toString('base64'),
  });
  return { plan, recipients: [], readiness: 'ready', cost: 0n };
}
