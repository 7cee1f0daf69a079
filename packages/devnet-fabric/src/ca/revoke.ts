import type { CaBody } from './bodies.ts';
import { CaError, notAuthorized } from './error.ts';
import type { CaIdentity } from './identities.ts';
import { issueRevocationList } from './issue.ts';
import { plainHex } from './names.ts';
import { attributeOf, mayManage } from './rights.ts';
import type { CaState } from './state.ts';

/** Response of `/revoke`. */
export interface RevocationResult {
  RevokedCerts: { Serial: string; AKI: string }[];
  /** Base64 of PEM, if requested. */
  CRL: string;
}

/**
 * Revokes one certificate by its serial number and key identifier, or an identity with all its certificates.
 * @throws CaError with status and code 400 `missingRevokeArguments` or `certificateOfAnother`, 403 `authorization`, or
 * 404 `certificateNotFound`, `identityNotFound` or `alreadyRevoked`
 */
export async function revoke(state: CaState, caller: CaIdentity, body: CaBody): Promise<RevocationResult> {
  const serial = plainHex(body.text('serial'));
  const aki = plainHex(body.text('aki'));
  const id = body.text('id');
  const check = (owner: string) => {
    const whom = state.identities.find(owner);
    if (owner !== caller.id && attributeOf(caller, 'hf.Revoker') !== 'true') throw notAuthorized();
    if (whom === undefined) throw new CaError(404, 'identityNotFound', `Identity ${owner} was not found`);
    if (owner !== caller.id && !mayManage(caller, whom)) throw notAuthorized();
  };
  const RevokedCerts: RevocationResult['RevokedCerts'] = [];
  const end = (one: { serial: string; aki: string }) => {
    state.identities.revokeCertificate(one.serial, one.aki);
    RevokedCerts.push({ Serial: one.serial, AKI: one.aki });
  };
  if (serial !== '' && aki !== '') {
    const found = state.identities.findCertificate(serial, aki);
    const which = `Certificate with serial ${serial} and AKI ${aki}`;
    if (found === undefined) throw new CaError(404, 'certificateNotFound', `${which} was not found`);
    check(found.id);
    if (found.revokedAt !== undefined)
      throw new CaError(404, 'alreadyRevoked', `${which} was already revoked`);
    if (id !== '' && id !== found.id)
      throw new CaError(400, 'certificateOfAnother', `${which} is not owned by ${id}`);
    end(found);
  } else if (id !== '') {
    check(id);
    state.identities.revoke(id);
    state.identities
      .certificatesOf(id)
      .filter((one) => one.revokedAt === undefined)
      .forEach(end);
  } else
    throw new CaError(
      400,
      'missingRevokeArguments',
      'Either Name or Serial and AKI are required for a revoke request',
    );
  return {
    RevokedCerts,
    CRL: body.flag('gencrl') && RevokedCerts.length > 0 ? await revocationList(state) : '',
  };
}

async function revocationList(state: CaState): Promise<string> {
  const revoked = state.identities
    .revokedCertificates()
    .map((one) => ({ serial: one.serial, at: one.revokedAt ?? new Date() }));
  return Buffer.from(await issueRevocationList(state.root, revoked)).toString('base64');
}
