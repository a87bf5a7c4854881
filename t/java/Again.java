// An agent that changes the JDK's classes once more, and nothing in them; one of them to what it is by then.
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.Semaphore;

public class Again implements ClassFileTransformer {
	static byte[] permits;

	@Override
	public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] file) {
		permits = old != null && name.endsWith("/Semaphore") ? file : permits;
		return old == null ? null : file.clone();
	}

	public static void premain(String args, Instrumentation jvm) throws Exception {
		jvm.addTransformer(new Again(), true);
		jvm.retransformClasses(Class.forName("java.lang.VirtualThread"), Semaphore.class);
		jvm.redefineClasses(new ClassDefinition(Semaphore.class, permits));
	}
}
