import { randomBytes } from 'node:crypto';
import { Secret } from '@ledger-ops/base';
import { computeAddress, decryptKeystoreJson, encryptKeystoreJson, hexlify } from 'ethers';
import { expect, it } from 'vitest';
import { KeystoreError, readKeystore, writeKeystore } from './keystore.ts';

/** The two test vectors of the Web3 Secret Storage definition. */
const secret = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d';
const pbkdf2Vector = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const scryptVector = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      p: 8,
      r: 1,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
};
const password = new Secret('testpassword');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

async function fault(document: unknown, given = password): Promise<KeystoreError> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const error = await readKeystore(text, given).catch((thrown: unknown) => thrown);
  if (error instanceof KeystoreError) return error;
  throw new Error('Expected the keystore to be rejected.');
}

it('reads the PBKDF2 test vector of the keystore definition', async () => {
  expect(hex(await readKeystore(JSON.stringify(pbkdf2Vector), password))).toBe(secret);
});

it('rejects the scrypt test vector of the keystore definition, whose n is too large for its r (RFC 7914)', async () => {
  expect(await fault(scryptVector)).toMatchObject({
    fault: 'malformed',
    message: expect.stringContaining('RFC 7914'),
  });
});

it('ethers reads keystores of this package, and this package reads keystores of ethers', async () => {
  const privateKey = randomBytes(32);
  const written = await writeKeystore(privateKey, new Secret('pässwörd'));
  expect(await decryptKeystoreJson(written, 'pässwörd')).toMatchObject({ privateKey: hexlify(privateKey) });
  const account = { address: computeAddress(hexlify(privateKey)), privateKey: hexlify(privateKey) };
  const foreign = await encryptKeystoreJson(account, 'pässwörd', { scrypt: { N: 4_096 } });
  expect(hex(await readKeystore(foreign, new Secret('pässwörd')))).toBe(hex(privateKey));
});

it('reads its own keystore with any Unicode form of the password', async () => {
  const privateKey = randomBytes(32);
  const written = await writeKeystore(privateKey, new Secret('p\u00e4ss'));
  expect(hex(await readKeystore(written, new Secret('pa\u0308ss')))).toBe(hex(privateKey));
  expect(written).not.toContain(hex(privateKey));
});

it('reads a keystore whose password was not normalized', async () => {
  const account = {
    address: computeAddress(`0x${secret}`),
    privateKey: `0x${secret}`,
  };
  const raw = new TextEncoder().encode('pa\u0308ss');
  const text = await encryptKeystoreJson(account, raw, { scrypt: { N: 1_024 } });
  expect(hex(await readKeystore(text, new Secret('pa\u0308ss')))).toBe(secret);
});

it('distinguishes a wrong keystore password from other errors', async () => {
  expect(await fault(pbkdf2Vector, new Secret('wrong'))).toMatchObject({ fault: 'wrong-password' });
});

it('rejects a keystore whose address does not match its key', async () => {
  const own = computeAddress(`0x${secret}`);
  expect(hex(await readKeystore(JSON.stringify({ ...pbkdf2Vector, address: own }), password))).toBe(secret);
  const document = { ...pbkdf2Vector, address: '00000000000000000000000000000000000000aa' };
  expect(await fault(document)).toMatchObject({ fault: 'wrong-address' });
});

it('rejects keystore parameters that would exhaust memory or time, before the key derivation', async () => {
  const scrypt = (kdfparams: object) => ({
    ...scryptVector,
    crypto: { ...scryptVector.crypto, kdfparams: { ...scryptVector.crypto.kdfparams, ...kdfparams } },
  });
  const pbkdf2 = (kdfparams: object) => ({
    ...pbkdf2Vector,
    crypto: { ...pbkdf2Vector.crypto, kdfparams: { ...pbkdf2Vector.crypto.kdfparams, ...kdfparams } },
  });
  const started = process.cpuUsage();
  for (const document of [
    scrypt({ n: 2 ** 30 }),
    scrypt({ n: 2 ** 18, r: 2 ** 20 }),
    scrypt({ p: 2 ** 30 }),
    scrypt({ n: 1_000 }),
    scrypt({ n: 2 ** 52 }),
    scrypt({ n: 0 }),
    scrypt({ n: 1.5 }),
    scrypt({ dklen: 16 }),
    pbkdf2({ c: 2 ** 31 }),
    pbkdf2({ prf: 'hmac-md5' }),
  ]) {
    expect(await fault(document)).toMatchObject({ fault: 'malformed' });
  }
  // Processor time, including that of the hashing threads, does not depend on how busy the machine is.
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(2_000_000);
});

it('rejects a string that is not a V3 keystore, and does not quote any of it', async () => {
  for (const document of [
    'no json s3cret',
    '[]',
    'null',
    '{"version":3}',
    { ...pbkdf2Vector, version: 1 },
    { ...pbkdf2Vector, crypto: { ...pbkdf2Vector.crypto, cipher: 's3cret' } },
    { ...pbkdf2Vector, crypto: { ...pbkdf2Vector.crypto, mac: 's3cret' } },
    { ...pbkdf2Vector, crypto: { ...pbkdf2Vector.crypto, ciphertext: '00' } },
    ' '.repeat(70_000),
  ]) {
    const error = await fault(document);
    expect(error.fault).toBe('malformed');
    expect(String(error.stack)).not.toContain('s3cret');
  }
});

it('detects a changed ciphertext or MAC of a keystore', async () => {
  const { crypto } = pbkdf2Vector;
  for (const change of [
    { ciphertext: `00${crypto.ciphertext.slice(2)}` },
    { mac: `00${crypto.mac.slice(2)}` },
  ]) {
    expect(await fault({ ...pbkdf2Vector, crypto: { ...crypto, ...change } })).toMatchObject({
      fault: 'wrong-password',
    });
  }
});
