import { type ClientMessage, frameHeaderBytes, type ServerMessage } from "../contract";

/** The newest picture of the robot that arrived. */
export interface LiveFrame {
  time: number;
  numbers: Float32Array;
}

export interface ConnectionHandlers {
  message(message: ServerMessage): void;
  /** A frame is there; many may come between two drawn pictures: take() gives the newest. */
  frame(): void;
  /** Connected, or lost and trying again. */
  connected(on: boolean): void;
}

const k_retry_milliseconds = 1000;

/** The WebSocket to `cuttle live`; connects again by itself until it is there. */
export class Connection {
  private socket: WebSocket | null = null;
  private newest: ArrayBuffer | null = null;
  private everConnected = false;
  /** Frames that arrived, for measuring. */
  received = 0;

  constructor(
    private readonly address: string,
    private readonly handlers: ConnectionHandlers,
  ) {
    this.connect();
  }

  /** Sends a command; without a connection it is lost, and the page says so. */
  send(message: ClientMessage): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** The newest frame since the last call; null: none. Those before it are never looked at. */
  take(): LiveFrame | null {
    const bytes = this.newest;
    if (!bytes) return null;
    this.newest = null;
    const count = (bytes.byteLength - frameHeaderBytes) / 4;
    return { time: new DataView(bytes).getFloat64(0, true), numbers: new Float32Array(bytes, frameHeaderBytes, count) };
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.everConnected = true;
      this.handlers.connected(true);
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === "string") {
        this.handlers.message(JSON.parse(data) as ServerMessage);
        return;
      }
      this.newest = data;
      this.received++;
      this.handlers.frame();
    };
    socket.onclose = () => {
      this.newest = null;
      if (this.everConnected) this.handlers.connected(false);
      setTimeout(() => this.connect(), k_retry_milliseconds);
    };
  }
}
