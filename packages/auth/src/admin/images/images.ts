import { invalidRequest, Problem } from '@ledger-ops/base';
import { type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { addDocument, organizationOfIdentity, recountDocuments } from '../../storage/documents.ts';
import { organizationOf } from '../../storage/usage.ts';
import type { Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { findResource, notFound } from '../find.ts';
import { findIdentity } from '../find-identity.ts';
import { formatOf, type ImageFormat, imageFormats } from './image-format.ts';

export const maxImageBytes = 1_048_576;

/** An image as uploaded. */
export interface ImageInput {
  /** Base64. */
  readonly data: string;
  readonly format: ImageFormat;
}

export interface ServedImage {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** `attachment` for svg, which may contain scripts and must never be opened as a page of this service. */
  readonly disposition: 'inline' | 'attachment';
  readonly filename: string;
}

/** Images of identities, organizations and apps. */
export interface Images {
  /** An image is visible to everyone who may see its owner. @throws Problem `not-found` */
  get(principal: Principal, imageId: string): Promise<ServedImage>;
}

const contentTypes: Readonly<Record<ImageFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
};
const knownFormat = z.enum(imageFormats);

/** Values of `image.owner`, by the kind of owner. */
export const imageOwner = {
  identity: (serviceId: string) => `identity:${serviceId}`,
  resource: (uid: string) => `resource:${uid}`,
};

export function createImages(context: AdminContext): Images {
  const { read } = context.store;
  return {
    async get(principal, imageId) {
      const { image } = read.t;
      const [row] = await read.db.select().from(image).where(eq(image.uid, imageId));
      if (row === undefined) throw notFound('image');
      const [kind, owner = ''] = row.owner.split(':');
      try {
        if (kind === 'identity') await findIdentity(context, principal, owner, { by: 'SERVICE_ID' });
        else await findResource(context, principal, { id: owner });
      } catch (error) {
        throw error instanceof Problem && error.problem === 'not-found' ? notFound('image') : error;
      }
      const format = knownFormat.parse(row.format);
      return {
        bytes: row.bytes,
        contentType: contentTypes[format],
        disposition: format === 'svg' ? 'attachment' : 'inline',
        filename: `image.${format}`,
      };
    },
  };
}

/** Decodes and checks an image. @throws Problem `invalid-request` */
export function readImage({ data, format }: ImageInput): { bytes: Uint8Array; format: ImageFormat } {
  const bytes = new Uint8Array(Buffer.from(data, 'base64'));
  if (bytes.length > maxImageBytes) {
    throw invalidRequest([{ pointer: '/data', detail: 'must be an image of at most 1 MB' }]);
  }
  const found = formatOf(bytes);
  if (found === format) return { bytes, format };
  throw invalidRequest([
    {
      pointer: '/data',
      detail: `must be ${format}, but the bytes are ${found === undefined ? 'not an image in a known format' : found}`,
    },
  ]);
}

/**
 * Replaces an image. The new image gets a new id, so that caches never return the old image.
 *
 * @throws Problem `storage-limit`
 */
export async function storeImage(
  tx: Tx,
  owner: string,
  { bytes, format }: ReturnType<typeof readImage>,
  now: number,
): Promise<void> {
  const { image } = tx.t;
  await tx.db.delete(image).where(eq(image.owner, owner));
  await tx.db.insert(image).values({ uid: uuidv7(), owner, format, bytes, createdAt: now });
  const [kind, uid = ''] = owner.split(':');
  const organization =
    kind === 'identity' ? await organizationOfIdentity(tx, uid) : await organizationOf(tx, uid);
  if (organization === undefined) return;
  await recountDocuments(tx, organization);
  await addDocument(tx, organization, bytes.length);
}

/** Sort key that orders resources by the URLs of their images. */
export function imageUidOf({ t: { image } }: Queries, resourceUid: PgColumn): SQL {
  return sql`(select ${image.uid} from ${image} where ${image.owner} = ${imageOwner.resource('')} || ${resourceUid})`;
}

/** Maps owners to the absolute URLs of their images. */
export async function imageUrls(
  queries: Queries,
  owners: readonly string[],
  baseUrl: string,
): Promise<Map<string, string>> {
  if (owners.length === 0) return new Map();
  const { image } = queries.t;
  const rows = await queries.db
    .select({ uid: image.uid, owner: image.owner })
    .from(image)
    .where(inArray(image.owner, [...owners]));
  return new Map(rows.map(({ uid, owner }) => [owner, `${baseUrl}/v1/images/${uid}`]));
}
