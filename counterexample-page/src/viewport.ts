// Viewport: the part of the picture that the canvas shows, for zooming and panning. `scale` is pixels per unit of the picture, (x, y) the
// picture's point in the canvas's upper left corner.
export interface Size {
  width: number;
  height: number;
}
export interface Box extends Size {
  x: number;
  y: number;
}

const smallest = 0.05;
const largest = 6;
const border = 12; // pixels around a picture that fits
const readable = 0.62; // below this the labels cannot be read: better to show a part

export class Viewport {
  x = 0;
  y = 0;
  scale = 1;

  constructor(
    public canvas: Size,
    public picture: Box,
  ) {}

  /// The whole picture; a small one is not blown up.
  fit(): void {
    this.scale = this.clamp(Math.min(this.fitScale(), 1.25));
    this.centre(this.picture.x + this.picture.width / 2, this.picture.y + this.picture.height / 2);
  }

  /// The whole picture if its text stays readable, otherwise a part around `focus`, or its beginning.
  open(focus?: Box): void {
    this.fit();
    if (this.scale >= readable) return;
    this.scale = Math.min(1, Math.max(readable, (this.canvas.width - 2 * border) / this.picture.width));
    if (focus) this.centre(focus.x + focus.width / 2, focus.y + focus.height / 2);
    else this.centre(this.picture.x, this.picture.y);
    this.settle();
  }

  /// Another size of the canvas: what is in its middle stays there.
  resize(canvas: Size): void {
    const [x, y] = [this.x + this.canvas.width / this.scale / 2, this.y + this.canvas.height / this.scale / 2];
    this.canvas = canvas;
    this.centre(x, y);
    this.settle();
  }

  /// Keeps the point under (px, py), in pixels of the canvas, where it is.
  zoom(factor: number, px = this.canvas.width / 2, py = this.canvas.height / 2): void {
    const scale = this.clamp(this.scale * factor);
    this.x += px / this.scale - px / scale;
    this.y += py / this.scale - py / scale;
    this.scale = scale;
    this.settle();
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.settle();
  }

  /// Moves as little as needed to have the box in sight.
  reveal(box: Box): void {
    const margin = 24 / this.scale;
    const width = this.canvas.width / this.scale;
    const height = this.canvas.height / this.scale;
    if (box.x - margin < this.x || box.x + box.width + margin > this.x + width)
      this.x = box.x + box.width / 2 - width / 2;
    if (box.y - margin < this.y || box.y + box.height + margin > this.y + height)
      this.y = box.y + box.height / 2 - height / 2;
    this.settle();
  }

  get viewBox(): string {
    const number = (n: number) => n.toFixed(2);
    return [this.x, this.y, this.canvas.width / this.scale, this.canvas.height / this.scale].map(number).join(" ");
  }

  private fitScale(): number {
    return Math.min(
      (this.canvas.width - 2 * border) / this.picture.width,
      (this.canvas.height - 2 * border) / this.picture.height,
    );
  }

  private centre(x: number, y: number): void {
    this.x = x - this.canvas.width / this.scale / 2;
    this.y = y - this.canvas.height / this.scale / 2;
  }

  /// The picture never leaves the canvas: in a direction in which it fits it stays inside, otherwise no empty space
  /// wider than the border shows.
  private settle(): void {
    this.x = this.settled(this.x, this.canvas.width, this.picture.x, this.picture.width);
    this.y = this.settled(this.y, this.canvas.height, this.picture.y, this.picture.height);
  }

  private settled(at: number, canvas: number, start: number, length: number): number {
    const seen = canvas / this.scale;
    const edge = border / this.scale;
    const ends = [start - edge, start + length + edge - seen];
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return Math.min(high, Math.max(low, at));
  }

  private clamp(scale: number): number {
    return Math.min(largest, Math.max(smallest, scale));
  }
}
