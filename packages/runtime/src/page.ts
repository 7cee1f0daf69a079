export interface Page<Item> {
  items: Item[];
  total: number;
}
