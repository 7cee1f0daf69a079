/** The root of the resource tree, the same in every installation. */
export const systemUid = '00000000-0000-7000-8000-000000000000';
