export function ChainPage() {
  return null;
}
